#include "workflows/steps.h"

#include <algorithm>

namespace rwa::workflows {

Steps::Steps(const Trained& trained) : encoding_(trained.encoding), stream_(trained.model) {
  reset();
}

void Steps::step(std::span<const float> x, std::span<float> y) {
  if (!encoding_.widening.is_needed()) return stream_.step(x, y);
  recent_.x.insert(recent_.x.end(), x.begin(), x.end());
  step_widened(y);
}

void Steps::step(std::int32_t symbol, std::span<float> y) {
  if (!encoding_.widening.is_needed()) return stream_.step(symbol, y);
  recent_.symbols.push_back(symbol);
  step_widened(y);
}

void Steps::step_widened(std::span<float> y) {
  const datasets::Widening& widening = encoding_.widening;
  const std::size_t width = encoding_.width();
  row_.resize(widening.inputs(width));
  widening.write_row(recent_, width, recent_.steps, place_, row_.data());
  ++recent_.steps;
  ++place_;
  stream_.step(row_, y);
  if (recent_.steps < widening.context) return;
  --recent_.steps;
  if (encoding_.schema.symbols) {
    recent_.symbols.erase(recent_.symbols.begin());
  } else {
    recent_.x.erase(recent_.x.begin(), recent_.x.begin() + static_cast<std::ptrdiff_t>(width));
  }
}

void Steps::reset() {
  stream_.reset();
  place_ = 0;
  recent_.clear();
}

// One number for each symbol.
std::size_t Steps::recent_size() const {
  const auto before = static_cast<std::size_t>(encoding_.widening.context - 1);
  return before * (encoding_.schema.symbols ? 1 : encoding_.width());
}

std::size_t Steps::state_size() const {
  const std::size_t network = stream_.state().size();
  return encoding_.widening.is_needed() ? network + 1 + recent_size() : network;
}

// Of steps that have not come yet there are zeros, which are not looked at: the place says so.
std::vector<float> Steps::state() const {
  std::vector<float> state(stream_.state().begin(), stream_.state().end());
  if (!encoding_.widening.is_needed()) return state;
  state.push_back(static_cast<float>(place_));
  state.insert(state.end(), recent_.x.begin(), recent_.x.end());
  for (const std::int32_t symbol : recent_.symbols) state.push_back(static_cast<float>(symbol));
  state.resize(state_size());
  return state;
}

void Steps::set_state(std::span<const float> state) {
  const std::size_t network = stream_.state().size();
  stream_.set_state(state.first(network));
  if (!encoding_.widening.is_needed()) return;
  constexpr float kMost = 1 << 24;  // beyond, a float does not count in ones
  place_ = static_cast<int>(std::clamp(state[network], 0.0F, kMost));
  recent_.clear();
  recent_.steps = std::min(place_, encoding_.widening.context - 1);
  const auto last = state.subspan(network + 1);
  if (encoding_.schema.symbols) {
    // Whoever has altered the file gets another answer, not another's memory.
    const auto most = static_cast<float>(encoding_.alphabet.size() - 1);
    for (int i = 0; i < recent_.steps; ++i) {
      const float symbol = std::clamp(last[static_cast<std::size_t>(i)], 0.0F, most);
      recent_.symbols.push_back(static_cast<std::int32_t>(symbol));
    }
  } else {
    const auto numbers = static_cast<std::size_t>(recent_.steps) * encoding_.width();
    recent_.x.assign(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(numbers));
  }
}

}  // namespace rwa::workflows
