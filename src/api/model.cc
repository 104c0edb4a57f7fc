#include "rwa/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "api/model_impl.h"
#include "base/nearest.h"
#include "rwa/errors.h"

namespace rwa {
namespace {
void check_finite(std::string_view what, std::span<const float> values) {
  const auto bad =
      std::find_if_not(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
  if (bad != values.end()) {
    throw InputError(fmt::format("{}: value {} is {}, expected a finite number", what,
                                 bad - values.begin(), *bad));
  }
}
}  // namespace

std::vector<NetworkPart> describe(const ModelConfig& config) { return NetworkSpec(config).parts(); }

Model::Model(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Model::Model(const ModelConfig& config) {
  const auto what = fmt::format("a model (inputs {}, layers {}, units {}, outputs {})",
                                config.inputs, config.layers, config.units, config.outputs);
  impl_ = within_memory(what, [&] {
    return std::make_shared<Impl>(config, initial_weights(NetworkSpec(config), config));
  });
}

Model Model::load(const std::filesystem::path& file) {
  return within_memory("the model in " + file.string(), [&] {
    ModelFile content = read_model(file);
    return Model(std::make_shared<Impl>(content.config, content.weights, std::move(content.notes)));
  });
}

void Model::save(const std::filesystem::path& file) const {
  within_memory("writing " + file.string(),
                [&] { write_model(file, impl_->config, weights(), impl_->notes); });
}

const ModelConfig& Model::config() const { return impl_->config; }

std::vector<Parameter> Model::parameters() const {
  std::vector<Parameter> all;
  const std::span<const float> values = weights();
  for (auto& info : impl_->spec.describe()) {
    all.push_back({info.name, info.shape, values.subspan(info.offset, info.size)});
  }
  return all;
}

std::size_t Model::parameter_count() const { return impl_->spec.parameters(); }

std::span<const float> Model::weights() const { return impl_->weights.numbers(); }

void Model::set_weights(std::span<const float> values) {
  check_size("weights", values.size(), parameter_count(), "all parameters");
  check_finite("weights", values);
  impl_->weights.set(0, values);
}

void Model::set_parameter(const std::string& name, std::span<const float> values) {
  for (const auto& info : impl_->spec.describe()) {
    if (info.name != name) continue;
    check_size(name, values.size(), info.size, fmt::format("[{}]", fmt::join(info.shape, ", ")));
    check_finite(name, values);
    impl_->weights.set(info.offset, values);
    return;
  }
  std::vector<std::string> known;
  for (const auto& info : impl_->spec.describe()) known.push_back(info.name);
  throw InputError(fmt::format("the model has no parameter '{}'{}", name, suggestion(name, known)));
}

const std::map<std::string, std::string>& Model::notes() const { return impl_->notes; }

// Checks the notes now rather than when the model is saved, perhaps after hours of training.
void Model::set_note(const std::string& name, std::string text) {
  within_memory("a note", [&] {
    Notes notes = impl_->notes;
    const bool taken_away = text.empty();
    notes[name] = std::move(text);
    check_notes(impl_->config, notes);
    if (taken_away) notes.erase(name);
    impl_->notes = std::move(notes);
  });
}

}  // namespace rwa
