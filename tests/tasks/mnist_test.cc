// tests/tasks/mnist_test.cc: small valid and invalid files in the format of MNIST.
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string>

#include "formats/array_testing.h"
#include "io/gzip_testing.h"
#include "io/io_testing.h"
#include "rwa/errors.h"
#include "tasks/tasks_testing.h"

namespace rwa::tasks {
namespace {

namespace fs = std::filesystem;
using formats::idx;
using formats::kImages;
using formats::kLabels;

constexpr std::size_t kPixels = 784;
constexpr std::size_t kTrainImages = 3;

// A byte that differs from those at nearby positions.
std::uint8_t pixel(std::size_t image, std::size_t place) {
  return static_cast<std::uint8_t>(place * 7 + place / 256 + image * 50);
}

std::string images(std::uint32_t count) {
  std::string content;
  for (std::size_t image = 0; image < count; ++image) {
    for (std::size_t p = 0; p < kPixels; ++p) content += static_cast<char>(pixel(image, p));
  }
  return idx({kImages, count, 28, 28}, content);
}

class Mnist : public ::testing::Test {
 protected:
  Mnist() {
    put("train-images-idx3-ubyte", images(kTrainImages));
    put("train-labels-idx1-ubyte", idx({kLabels, kTrainImages}, "\x05\x09\x01"));
    put("t10k-images-idx3-ubyte.gz", io::gzip(images(2)));
    put("t10k-labels-idx1-ubyte.gz", io::gzip(idx({kLabels, 2}, std::string_view("\0\7", 2))));
  }

  void put(const std::string& name, std::string_view content) {
    io::put(folder_.path() / name, content);
  }
  std::unique_ptr<datasets::Dataset> open(bool permuted = false, std::uint64_t seed = 1) {
    return open_task(MnistTask{.permuted = permuted}, seed, folder_.path());
  }
  template <class Error>
  void expect_refusal(std::initializer_list<std::string_view> parts) {
    io::expect_error<Error>([&] { open(); }, parts);
  }

  io::TempFolder folder_;
};

TEST_F(Mnist, ImagesAreShownRowByRow) {
  const auto data = open();
  const datasets::Batch batch = fill(*data, datasets::Split::kTrain, {2, 0});
  EXPECT_EQ(batch.steps, 784);
  EXPECT_EQ(batch.lengths, (std::vector<std::int32_t>{784, 784}));
  EXPECT_EQ(batch.classes, (std::vector<std::int32_t>{1, 5}));
  EXPECT_TRUE(batch.values.empty());
  ASSERT_EQ(batch.x.size(), 2 * kPixels);
  for (std::size_t p = 0; p < kPixels; ++p) {
    EXPECT_EQ(batch.x[2 * p], static_cast<float>(pixel(2, p)) / 255);
    EXPECT_EQ(batch.x[2 * p + 1], static_cast<float>(pixel(0, p)) / 255);
  }
  EXPECT_EQ(*std::max_element(batch.x.begin(), batch.x.end()), 1);
  EXPECT_EQ(*std::min_element(batch.x.begin(), batch.x.end()), 0);
}

TEST_F(Mnist, SizesAreThoseOfTheFiles) {
  const auto data = open();
  EXPECT_EQ(data->size(datasets::Split::kTrain), 3);
  EXPECT_EQ(data->size(datasets::Split::kTest), 2);
  EXPECT_EQ(fill(*data, datasets::Split::kTest, {1}).classes.at(0), 7);
}

TEST_F(Mnist, ANetworkForIt) {
  const auto data = open();
  EXPECT_EQ(data->shape().inputs, 1);
  EXPECT_EQ(data->shape().outputs, 10);
  EXPECT_EQ(data->shape().readout, Readout::kLast);
  EXPECT_EQ(data->shape().loss, Loss::kSoftmax);
  EXPECT_EQ(data->shape().longest, 784);
  EXPECT_EQ(data->shape().mean_length, 784);
  EXPECT_NEAR(data->naive().loss, 3.3219, 1e-4);
  EXPECT_EQ(data->naive().accuracy, 0.1);
}

// Returns the pixel that each step shows. One byte does not identify a pixel; two images that
// encode the pixel number in two bytes do.
std::vector<std::size_t> read_order(const datasets::Dataset& counting) {
  const datasets::Batch batch = fill(counting, datasets::Split::kTrain, {0, 1});
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < kPixels; ++t) {
    order.push_back(static_cast<std::size_t>(std::lround(batch.x[2 * t] * 255) * 256 +
                                             std::lround(batch.x[2 * t + 1] * 255)));
  }
  return order;
}

class PermutedMnist : public Mnist {
 protected:
  PermutedMnist() {
    std::string high;
    std::string low;
    for (std::size_t p = 0; p < kPixels; ++p) {
      high += static_cast<char>(p / 256);
      low += static_cast<char>(p % 256);
    }
    put("train-images-idx3-ubyte", idx({kImages, 3, 28, 28}, high + low + low));
  }
};

TEST_F(PermutedMnist, ShowsEveryPixelOnceInAnotherOrder) {
  const auto order = read_order(*open(true));
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), kPixels);
  EXPECT_EQ(*std::max_element(order.begin(), order.end()), kPixels - 1);
  int fixed = 0;
  for (std::size_t t = 0; t < kPixels; ++t) fixed += order[t] == t ? 1 : 0;
  EXPECT_LT(fixed, 8);  // one on average
}

TEST_F(PermutedMnist, TheOrderIsAFunctionOfTheSeed) {
  EXPECT_EQ(read_order(*open(true, 5)), read_order(*open(true, 5)));
  EXPECT_NE(read_order(*open(true, 5)), read_order(*open(true, 6)));
  EXPECT_EQ(read_order(*open(false, 5)), read_order(*open(false, 6)));
}

// Over many seeds, a step shows each quarter of the image equally often.
TEST_F(PermutedMnist, OrdersAreEven) {
  constexpr int kSeeds = 200;
  std::array<std::array<int, 4>, 2> seen{};
  for (int seed = 0; seed < kSeeds; ++seed) {
    const auto order = read_order(*open(true, seed));
    ++seen[0].at(order.front() / 196);
    ++seen[1].at(order.back() / 196);
  }
  for (const auto& step : seen) {
    for (const int count : step) expect_share(count, kSeeds, 0.25, "a quarter");
  }
}

TEST_F(PermutedMnist, TestImagesHaveTheSameOrder) {
  put("t10k-images-idx3-ubyte", io::get(folder_.path() / "train-images-idx3-ubyte"));
  put("t10k-labels-idx1-ubyte", io::get(folder_.path() / "train-labels-idx1-ubyte"));
  const auto data = open(true);
  EXPECT_EQ(fill(*data, datasets::Split::kTest, {1}).x,
            fill(*data, datasets::Split::kTrain, {1}).x);
}

TEST_F(Mnist, AMissingFileIsNamedWithWhatToDo) {
  fs::remove(folder_.path() / "t10k-labels-idx1-ubyte.gz");
  expect_refusal<ResourceError>({folder_.path().string() + "/t10k-labels-idx1-ubyte",
                                 "nor t10k-labels-idx1-ubyte.gz", "rwa paper data mnist"});
}

TEST_F(Mnist, ALabelThatIsNoDigit) {
  put("train-labels-idx1-ubyte", idx({kLabels, 3}, "\x05\x0a\x01"));
  expect_refusal<InputError>({folder_.path().string() + "/train-labels-idx1-ubyte",
                              "label number 1 is 10, expected 0 to 9"});
}

TEST_F(Mnist, CountsThatDiffer) {
  put("t10k-labels-idx1-ubyte.gz", io::gzip(idx({kLabels, 3}, "\1\2\3")));
  expect_refusal<InputError>(
      {"t10k-labels-idx1-ubyte.gz: has 3 labels, expected 2, one for each image of",
       "t10k-images-idx3-ubyte.gz"});
}

TEST_F(Mnist, ImagesOfAnotherSize) {
  put("train-images-idx3-ubyte", idx({kImages, 1, 32, 32}, std::string(1024, 'x')));
  expect_refusal<InputError>(
      {"train-images-idx3-ubyte: has shape (1, 32, 32), expected (N, 28, 28)"});
}

TEST_F(Mnist, LabelsInPlaceOfImages) {
  put("train-images-idx3-ubyte", idx({kLabels, 3}, "\x05\x09\x01"));
  expect_refusal<InputError>({"train-images-idx3-ubyte: has shape (3,), expected (N, 28, 28)"});
}

TEST_F(Mnist, AFolderInPlaceOfAFile) {
  fs::remove(folder_.path() / "train-labels-idx1-ubyte");
  fs::create_directory(folder_.path() / "train-labels-idx1-ubyte");
  expect_refusal<ResourceError>({"train-labels-idx1-ubyte", "Is a directory"});
}

}  // namespace
}  // namespace rwa::tasks
