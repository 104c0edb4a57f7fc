#include "formats/arff_roles.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/counted.h"
#include "formats/parse.h"
#include "formats/usual_names.h"
#include "io/quote.h"
#include "rwa/errors.h"

namespace rwa::formats {
namespace {
using Attributes = std::vector<ArffAttribute>;
using Type = ArffAttribute::Type;

// No attribute y is a direction here.
bool is_named_like_target(std::string_view name) {
  return is_usual(name, kTargetNames) || is_usual(name, kTargetOrDirectionNames);
}

bool can_be_target(const ArffAttribute& attribute) {
  return attribute.type == Type::kNominal || attribute.type == Type::kNumber;
}

std::optional<std::size_t> find(const Attributes& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &ArffAttribute::name);
  if (found == attributes.end()) return {};
  return static_cast<std::size_t>(found - attributes.begin());
}

std::size_t named(const Attributes& attributes, const std::string& name, std::string_view file) {
  std::vector<std::string> names;
  for (const ArffAttribute& attribute : attributes) names.push_back(attribute.name);
  return find_named(name, names, "attribute", file);
}

class RoleGuess {
 public:
  RoleGuess(const Attributes& attributes, const Options& options, std::string_view file)
      : attributes_(attributes), options_(options), file_(file) {}

  ArffRoles roles() {
    if (!options_.id.empty()) roles_.id = named(attributes_, options_.id, file_);
    if (!take_named_target() && !take_model_target()) guess_target();
    if (options_.features.empty()) {
      guess_sequence();
    } else {
      take_named_sequence();
    }
    return roles_;
  }

 private:
  bool take_named_target() {
    if (options_.targets.empty()) return false;
    const std::size_t target = named(attributes_, options_.targets.front(), file_);
    if (!can_be_target(attributes_[target])) {
      throw ConfigError(fmt::format(
          "{}: found a string or relational attribute '{}' for --target, expected {{classes}} or "
          "a number",
          file_, io::escape(attributes_[target].name)));
    }
    return take_target(target, "--target");
  }

  bool take_model_target() {
    if (!options_.as || options_.as->targets.size() != 1) return false;
    const auto target = find(attributes_, options_.as->targets.front());
    return target && can_be_target(attributes_[*target]) &&
           take_target(*target, "the model's name");
  }

  void guess_target() {
    for (const Type type : {Type::kNominal, Type::kNumber}) {
      for (std::size_t i = 0; i < attributes_.size(); ++i) {
        if (attributes_[i].type != type || !is_named_like_target(attributes_[i].name)) continue;
        take_target(i, "its name");
        return;
      }
    }
    const auto is_nominal = [](const ArffAttribute& a) { return a.type == Type::kNominal; };
    if (is_nominal(attributes_.back())) {
      take_target(attributes_.size() - 1, "the last attribute, and lists classes");
    } else if (std::ranges::count_if(attributes_, is_nominal) == 1) {
      const auto only = std::ranges::find_if(attributes_, is_nominal);
      take_target(static_cast<std::size_t>(only - attributes_.begin()),
                  "the only attribute that lists classes");
    }
  }

  bool take_target(std::size_t target, std::string_view why) {
    roles_.target = target;
    roles_.why_target = why;
    return true;
  }

  void take_named_sequence() {
    const std::string& name = options_.features.front();
    const std::size_t i = named(attributes_, name, file_);
    if (attributes_[i].type == Type::kString) {
      roles_.text = i;
    } else if (attributes_[i].type == Type::kRelation) {
      roles_.relation = i;
    } else {
      throw ConfigError(fmt::format(
          "{}: found the attribute '{}' for --features, expected a string or relational one: "
          "numbers are the steps of one feature",
          file_, io::escape(name)));
    }
  }

  void guess_sequence() {
    const std::vector<std::size_t> relations = free_of(Type::kRelation);
    std::vector<std::size_t> texts = free_of(Type::kString);
    if (!roles_.id) take_id(texts);
    std::vector<std::size_t> numbers = free_of(Type::kNumber);
    const std::size_t kinds =
        (relations.empty() ? 0U : 1U) + (numbers.empty() ? 0U : 1U) + (texts.empty() ? 0U : 1U);
    if (kinds != 1 || relations.size() > 1 || texts.size() > 1) {
      throw InputError(fmt::format(
          "{}: found {}, {} and {}, expected either numbers, the steps of a sequence, or one "
          "relational attribute, or one string: use --features NAME for the last two",
          file_, counted(numbers.size(), "numeric attribute"),
          counted(relations.size(), "relational attribute"),
          counted(texts.size(), "string attribute")));
    }
    if (!relations.empty()) roles_.relation = relations.front();
    if (!texts.empty()) roles_.text = texts.front();
    roles_.steps = std::move(numbers);
  }

  void take_id(std::vector<std::size_t>& texts) {
    const auto found = std::ranges::find_if(texts, [&](std::size_t i) {
      const std::string& name = attributes_[i].name;
      return is_usual(name, kIdNames) || is_usual(name, kIdOrTextNames);
    });
    const bool is_only_sequence =
        texts.size() == 1 && free_of(Type::kNumber).empty() && free_of(Type::kRelation).empty();
    if (found == texts.end() || is_only_sequence) return;
    roles_.id = *found;
    texts.erase(found);
  }

  [[nodiscard]] std::vector<std::size_t> free_of(Type type) const {
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      if (attributes_[i].type == type && roles_.target != i && roles_.id != i) free.push_back(i);
    }
    return free;
  }

  const Attributes& attributes_;
  const Options& options_;
  std::string_view file_;
  ArffRoles roles_;
};
}  // namespace

ArffRoles guess_arff_roles(const Attributes& attributes, const Options& options,
                           std::string_view file) {
  return RoleGuess(attributes, options, file).roles();
}

}  // namespace rwa::formats
