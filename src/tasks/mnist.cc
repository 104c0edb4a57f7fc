// src/tasks/mnist.cc: which digit is it, one pixel at a time?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/random.h"
#include "formats/array.h"
#include "rwa/errors.h"
#include "tasks/kinds.h"

namespace rwa::tasks {
namespace {
namespace fs = std::filesystem;

constexpr std::uint32_t kSide = kMnistSide;
constexpr std::uint32_t kPixels = kSide * kSide;
constexpr int kDigits = 10;
constexpr std::int64_t kMostImages = 300'000;  // EMNIST, in the same format, has 280,000

struct Digits {
  std::vector<std::uint8_t> images;  // [N,28,28]
  std::vector<std::uint8_t> labels;  // [N]
};

// Returns the plain or the compressed file, whichever exists.
fs::path find_file(const fs::path& folder, const std::string& name) {
  const fs::path plain = folder / name;
  const fs::path packed = folder / (name + ".gz");
  for (const fs::path& file : {plain, packed}) {
    if (std::error_code ignored; fs::exists(file, ignored)) return file;
  }
  throw ResourceError(fmt::format(
      "{}: found neither this MNIST file nor {}: run 'rwa paper data mnist' to download "
      "them",
      plain.string(), packed.filename().string()));
}

Digits read_digits(const fs::path& folder, const std::string& prefix) {
  const fs::path images = find_file(folder, prefix + "-images-idx3-ubyte");
  const fs::path labels = find_file(folder, prefix + "-labels-idx1-ubyte");
  Digits digits{
      .images = formats::read_idx(images, std::array<std::int64_t, 2>{kSide, kSide}, kMostImages),
      .labels = formats::read_idx(labels, {}, kMostImages)};
  if (const std::size_t count = digits.images.size() / kPixels; digits.labels.size() != count) {
    throw InputError(fmt::format("{}: has {} labels, expected {}, one for each image of {}",
                                 labels.string(), digits.labels.size(), count, images.string()));
  }
  const auto wrong =
      std::ranges::find_if(digits.labels, [](int label) { return label >= kDigits; });
  if (wrong != digits.labels.end()) {
    throw InputError(fmt::format("{}: label number {} is {}, expected 0 to {}", labels.string(),
                                 wrong - digits.labels.begin(), *wrong, kDigits - 1));
  }
  return digits;
}

// Returns the pixel of each step.
std::vector<std::uint32_t> pixel_order(bool permuted, std::uint64_t seed) {
  std::vector<std::uint32_t> order(kPixels);
  std::iota(order.begin(), order.end(), 0U);
  if (!permuted) return order;
  const Random random(seed, Purpose::kPermutation);
  for (std::size_t i = order.size() - 1; i > 0; --i) {  // Fisher-Yates
    std::swap(order[i], order[random.below(i, i + 1)]);
  }
  return order;
}

class Mnist final : public datasets::Dataset {
 public:
  Mnist(const MnistTask& task, std::uint64_t seed, const fs::path& folder)
      : train_(read_digits(folder, "train")),
        test_(read_digits(folder, "t10k")),
        order_(pixel_order(task.permuted, seed)) {}

  [[nodiscard]] const datasets::Shape& shape() const override { return facts_.shape; }
  [[nodiscard]] datasets::Naive naive() const override { return facts_.naive; }
  [[nodiscard]] std::int64_t size(datasets::Split split) const override {
    if (split == datasets::Split::kValid) return 0;
    return static_cast<std::int64_t>(digits(split).labels.size());
  }

  void fill(datasets::Split split, std::span<const std::int64_t> samples,
            datasets::Batch& batch) const override {
    const Digits& from = digits(split);
    std::vector<const std::uint8_t*> images;
    images.reserve(samples.size());
    batch.classes.clear();
    for (const std::int64_t sample : samples) {
      images.push_back(&from.images[static_cast<std::size_t>(sample) * kPixels]);
      batch.classes.push_back(from.labels[static_cast<std::size_t>(sample)]);
    }
    batch.steps = kPixels;
    batch.lengths.assign(samples.size(), batch.steps);
    batch.values.clear();
    batch.x.resize(kPixels * samples.size());
    auto x = batch.x.begin();
    for (const std::uint32_t pixel : order_) {
      for (const std::uint8_t* image : images) *x++ = static_cast<float>(image[pixel]) / 255.0F;
    }
  }

 private:
  [[nodiscard]] const Digits& digits(datasets::Split split) const {
    return split == datasets::Split::kTrain ? train_ : test_;
  }

  Facts facts_ = mnist_facts();
  Digits train_, test_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

Facts mnist_facts() {
  return {.shape = {.inputs = 1,
                    .outputs = kDigits,
                    .readout = Readout::kLast,
                    .loss = Loss::kSoftmax,
                    .longest = kPixels,
                    .mean_length = kPixels},
          .naive = {.loss = std::log2(kDigits), .accuracy = 1.0 / kDigits}};
}

std::unique_ptr<datasets::Dataset> open_mnist(const MnistTask& task, std::uint64_t seed,
                                              const fs::path& folder) {
  return std::make_unique<Mnist>(task, seed, folder);
}

}  // namespace rwa::tasks
