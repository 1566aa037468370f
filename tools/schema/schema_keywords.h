#pragma once

// jsoncons' validators, where what it does takes too long for hostile documents or patterns.
// They are its templates, specialised for the one type of JSON that schema.cc gives them, so
// that each keyword still applies exactly where jsoncons applies it. Only schema.cc includes this.
#include <algorithm>
#include <jsoncons/json.hpp>
#include <jsoncons_ext/jsonschema/jsonschema.hpp>
#include <utility>
#include <vector>

#include "tools/schema/pattern.h"
#include "tools/schema/schema_work.h"
#include "tools/schema/unique_items.h"

namespace toolway::tools::schema {

using Foreign = jsoncons::json;

/// What is found wrong with an alternative. The first few are enough, and the validation of
/// that alternative ends with them: a document can have a mistake in every item.
class FirstMistakes final : public jsoncons::jsonschema::error_reporter {
 public:
  static constexpr std::size_t kMaxErrors = 5;
  std::vector<jsoncons::jsonschema::validation_message> errors;

 private:
  using Message = jsoncons::jsonschema::validation_message;
  using Walk = jsoncons::jsonschema::walk_result;
  Walk do_error(const Message& message) override {
    // Alternatives inside of alternatives: what is kept of them is bounded as well.
    constexpr std::size_t kMaxInside = 5;
    const std::size_t inside = count(message.details());
    // Each has been copied with the path of its place, and will be.
    const auto& place = message.instance_location();
    const auto path = static_cast<std::uint64_t>(place.end() - place.begin());
    SchemaWork::spend((1 + inside) * (24 + path * 4));
    if (inside <= kMaxInside) {
      errors.push_back(message);
    } else {
      errors.emplace_back(message.keyword(), message.eval_path(), message.schema_location(),
                          message.instance_location(), message.message());
    }
    return errors.size() < kMaxErrors ? Walk::advance : Walk::abort;
  }
  static std::size_t count(const std::vector<Message>& messages) {
    std::size_t all = messages.size();
    for (const auto& message : messages) all += count(message.details());
    return all;
  }
};

/// What each look at a value costs, besides what is looked at inside of it.
inline std::uint64_t steps_of(const Foreign& value) {
  if (value.is_string()) return 1 + value.as_string_view().size() / 256;
  return value.is_array() || value.is_object() ? 1 + value.size() / 32 : 1;
}

}  // namespace toolway::tools::schema

namespace jsoncons::jsonschema {

using toolway::tools::schema::FirstMistakes;
using toolway::tools::schema::Foreign;
using toolway::tools::schema::Pattern;
using toolway::tools::schema::SchemaWork;

// The path through the schema, which every look copies and which is as long as references go
// round, appears in messages only, and ours say something else.
template <>
inline eval_context<Foreign>::eval_context(const eval_context& parent, const std::string&)
    : dynamic_scope_(parent.dynamic_scope_), flags_(parent.flags_) {}
template <>
inline eval_context<Foreign>::eval_context(const eval_context& parent, const std::string&,
                                           evaluation_flags flags)
    : dynamic_scope_(parent.dynamic_scope_), flags_(flags) {}
template <>
inline eval_context<Foreign>::eval_context(const eval_context& parent, std::size_t)
    : dynamic_scope_(parent.dynamic_scope_), flags_(parent.flags_) {}
template <>
inline eval_context<Foreign>::eval_context(const eval_context& parent, std::size_t,
                                           evaluation_flags flags)
    : dynamic_scope_(parent.dynamic_scope_), flags_(flags) {}

template <>
inline walk_result validator_base<Foreign>::validate(const eval_context<Foreign>& context,
                                                     const Foreign& instance,
                                                     const jsonpointer::json_pointer& location,
                                                     evaluation_results& results,
                                                     error_reporter& reporter,
                                                     Foreign& patch) const {
  // The path to the value is copied for every value inside of it.
  const auto path = static_cast<std::uint64_t>(location.end() - location.begin());
  SchemaWork::spend(toolway::tools::schema::steps_of(instance) + path / 4);
  return do_validate(context, instance, location, results, reporter, patch);
}

template <>
inline bool unique_items_validator<Foreign>::array_has_unique_items(const Foreign& array) {
  return toolway::tools::schema::UniqueItems<Foreign>::hold(array);
}

/// By RE2, not by std::regex.
template <>
class pattern_validator<Foreign> : public keyword_validator<Foreign> {
  using walk_reporter_type = json_schema_traits<Foreign>::walk_reporter_type;

 public:
  pattern_validator(const Foreign& schema, const uri& location, const std::string& message,
                    Pattern pattern)
      : keyword_validator<Foreign>("pattern", schema, location, message),
        pattern_(std::move(pattern)) {}

 private:
  walk_result do_validate(const eval_context<Foreign>& context, const Foreign& instance,
                          const jsonpointer::json_pointer& location, evaluation_results&,
                          error_reporter& reporter, Foreign&) const final {
    if (!instance.is_string()) return walk_result::advance;
    const auto text = instance.as_string_view();
    SchemaWork::spend(pattern_.steps(text.size()));
    if (pattern_.found_in(text)) return walk_result::advance;
    const eval_context<Foreign> here(context, keyword_name());
    return reporter.error(
        make_validation_message(here.eval_path(), location, "does not match the pattern"));
  }
  walk_result do_walk(const eval_context<Foreign>&, const Foreign& instance,
                      const jsonpointer::json_pointer& location,
                      const walk_reporter_type& reporter) const final {
    return reporter(keyword_name(), schema(), schema_location(), instance, location);
  }

  const Pattern pattern_;
};

template <>
class pattern_properties_validator<Foreign> : public keyword_validator<Foreign> {
  using schema_validator_ptr_type = schema_validator<Foreign>::schema_validator_ptr_type;
  using walk_reporter_type = json_schema_traits<Foreign>::walk_reporter_type;

 public:
  using Entries = std::vector<std::pair<Pattern, schema_validator_ptr_type>>;
  pattern_properties_validator(const Foreign& schema, const uri& location,
                               const std::string& message, Entries entries)
      : keyword_validator<Foreign>("patternProperties", schema, location, message),
        entries_(std::move(entries)) {}

  walk_result validate(const eval_context<Foreign>& context, const Foreign& instance,
                       const jsonpointer::json_pointer& location, evaluation_results& results,
                       error_reporter& reporter, Foreign& patch,
                       std::unordered_set<std::string>& allowed) const {
    if (!instance.is_object()) return walk_result::advance;
    const eval_context<Foreign> here(context, keyword_name());
    for (const auto& member : instance.object_range()) {
      for (const auto& [pattern, validator] : entries_) {
        SchemaWork::spend(pattern.steps(member.key().size()));
        if (!pattern.found_in(member.key())) continue;
        allowed.insert(member.key());
        const eval_context<Foreign> inside{here, member.key(), evaluation_flags{}};
        const std::size_t errors = reporter.error_count();
        if (validator->validate(inside, member.value(), location / member.key(), results, reporter,
                                patch) == walk_result::abort) {
          return walk_result::abort;
        }
        if (errors == reporter.error_count() && context.require_evaluated_properties()) {
          results.evaluated_properties.insert(member.key());
        }
      }
    }
    return walk_result::advance;
  }

  walk_result walk(const eval_context<Foreign>&, const Foreign& instance,
                   const jsonpointer::json_pointer& location, const walk_reporter_type& reporter,
                   std::unordered_set<std::string>&) const {
    return reporter(keyword_name(), schema(), schema_location(), instance, location);
  }

 private:
  walk_result do_validate(const eval_context<Foreign>& context, const Foreign& instance,
                          const jsonpointer::json_pointer& location, evaluation_results& results,
                          error_reporter& reporter, Foreign& patch) const final {
    std::unordered_set<std::string> allowed;
    return validate(context, instance, location, results, reporter, patch, allowed);
  }
  walk_result do_walk(const eval_context<Foreign>& context, const Foreign& instance,
                      const jsonpointer::json_pointer& location,
                      const walk_reporter_type& reporter) const final {
    std::unordered_set<std::string> allowed;
    return walk(context, instance, location, reporter, allowed);
  }

  const Entries entries_;
};

/// Errors of `Pattern::create` were reported before, with their places (schema.cc).
inline Pattern pattern_of(const std::string& text) {
  auto pattern = Pattern::create(text);
  if (!pattern) throw schema_error("the pattern cannot be used: " + pattern.error());
  return std::move(*pattern);
}

template <>
inline std::unique_ptr<pattern_validator<Foreign>>
keyword_validator_factory<Foreign>::make_pattern_validator(
    const compilation_context<Foreign>& context, const Foreign& keyword, const Foreign& parent) {
  return std::make_unique<pattern_validator<Foreign>>(
      parent, context.make_schema_location("pattern"), context.get_custom_message("pattern"),
      pattern_of(keyword.as<std::string>()));
}

template <>
inline std::unique_ptr<pattern_properties_validator<Foreign>>
keyword_validator_factory<Foreign>::make_pattern_properties_validator(
    const compilation_context<Foreign>& context, const Foreign& keyword, const Foreign& parent,
    anchor_uri_map_type& anchors) {
  pattern_properties_validator<Foreign>::Entries entries;
  for (const auto& member : keyword.object_range()) {
    const std::string place[] = {"patternProperties", member.key()};
    entries.emplace_back(pattern_of(member.key()), factory_->make_cross_draft_schema_validator(
                                                       context, member.value(), place, anchors));
  }
  return std::make_unique<pattern_properties_validator<Foreign>>(
      parent, context.get_base_uri(), context.get_custom_message("patternProperties"),
      std::move(entries));
}

/// A long list is looked through for each value.
template <>
inline walk_result enum_validator<Foreign>::do_validate(const eval_context<Foreign>& context,
                                                        const Foreign& instance,
                                                        const jsonpointer::json_pointer& location,
                                                        evaluation_results&,
                                                        error_reporter& reporter, Foreign&) const {
  SchemaWork::spend(value_.size() / 8);
  const auto choices = value_.array_range();
  if (std::find(choices.begin(), choices.end(), instance) != choices.end())
    return walk_result::advance;
  const eval_context<Foreign> here(context, keyword_name());
  return reporter.error(
      make_validation_message(here.eval_path(), location, "is not one of the choices"));
}

template <>
inline walk_result not_validator<Foreign>::do_validate(const eval_context<Foreign>& context,
                                                       const Foreign& instance,
                                                       const jsonpointer::json_pointer& location,
                                                       evaluation_results&,
                                                       error_reporter& reporter,
                                                       Foreign& patch) const {
  const eval_context<Foreign> here(context, keyword_name());
  evaluation_results unused;
  FirstMistakes mistakes;
  schema_val_->validate(here, instance, location, unused, mistakes, patch);
  if (!mistakes.errors.empty()) return walk_result::advance;
  return reporter.error(make_validation_message(here.eval_path(), location,
                                                "Instance must not be valid against schema"));
}

/// Which of `validators` match, what they evaluated, and what is wrong with the others.
struct Alternatives {
  std::vector<std::size_t> matching;
  evaluation_results results;
  std::vector<validation_message> errors;

  template <typename Validators>
  Alternatives(const eval_context<Foreign>& context, const Validators& validators,
               const Foreign& instance, const jsonpointer::json_pointer& location, Foreign& patch) {
    for (std::size_t i = 0; i < validators.size(); ++i) {
      const eval_context<Foreign> inside(context, i);
      evaluation_results its;
      FirstMistakes mistakes;
      validators[i]->validate(inside, instance, location, its, mistakes, patch);
      if (mistakes.errors.empty()) {
        results.merge(its);
        matching.push_back(i);
      }
      for (auto& error : mistakes.errors) {
        if (errors.size() < FirstMistakes::kMaxErrors) errors.push_back(std::move(error));
      }
    }
  }
};

template <>
inline walk_result any_of_validator<Foreign>::do_validate(const eval_context<Foreign>& context,
                                                          const Foreign& instance,
                                                          const jsonpointer::json_pointer& location,
                                                          evaluation_results& results,
                                                          error_reporter& reporter,
                                                          Foreign& patch) const {
  const eval_context<Foreign> here(context, keyword_name());
  const Alternatives found(here, validators_, instance, location, patch);
  if (!found.matching.empty()) {
    results.merge(found.results);
    return walk_result::advance;
  }
  return reporter.error(
      make_validation_message(here.eval_path(), location, "none matches", found.errors));
}

template <>
inline walk_result one_of_validator<Foreign>::do_validate(const eval_context<Foreign>& context,
                                                          const Foreign& instance,
                                                          const jsonpointer::json_pointer& location,
                                                          evaluation_results& results,
                                                          error_reporter& reporter,
                                                          Foreign& patch) const {
  const eval_context<Foreign> here(context, keyword_name());
  const Alternatives found(here, validators_, instance, location, patch);
  if (found.matching.size() == 1) {
    results.merge(found.results);
    return walk_result::advance;
  }
  const std::string message =
      found.matching.empty()
          ? "Must be valid against exactly one schema, but found no matching schemas"
          : "Must be valid against exactly one schema, but found " +
                std::to_string(found.matching.size()) + " matching schemas";
  // When several match there is nothing to say of the others.
  const auto& errors = found.matching.empty() ? found.errors : std::vector<validation_message>();
  return reporter.error(make_validation_message(here.eval_path(), location, message, errors));
}

template <>
inline walk_result conditional_validator<Foreign>::do_validate(
    const eval_context<Foreign>& context, const Foreign& instance,
    const jsonpointer::json_pointer& location, evaluation_results& results,
    error_reporter& reporter, Foreign& patch) const {
  if (!if_val_) return walk_result::advance;
  const eval_context<Foreign> here(context, "if");
  evaluation_results its;
  FirstMistakes mistakes;
  if_val_->validate(here, instance, location, its, mistakes, patch);
  const bool holds = mistakes.errors.empty();
  if (holds) results.merge(its);
  const auto& next = holds ? then_val_ : else_val_;
  if (!next) return walk_result::advance;
  const eval_context<Foreign> inside(context, holds ? "then" : "else");
  return next->validate(inside, instance, location, results, reporter, patch);
}

}  // namespace jsoncons::jsonschema
