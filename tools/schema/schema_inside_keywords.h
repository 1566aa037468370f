#pragma once

// More of schema_keywords.h: the keywords that apply schemas to the members of a value.
#include <fmt/format.h>

#include "tools/schema/schema_keywords.h"
#include "tools/schema/schema_words.h"

namespace jsoncons::jsonschema {

/// Without jsoncons' search for defaults, one look-up in the document for each property of the
/// schema: schemas have none by the time they get here (schema_prepare.h).
template <>
inline walk_result properties_validator<Foreign>::validate(
    const eval_context<Foreign>& context, const Foreign& instance,
    const jsonpointer::json_pointer& location, evaluation_results& results,
    error_reporter& reporter, Foreign& patch, std::unordered_set<std::string>& allowed) const {
  if (!instance.is_object()) return walk_result::advance;
  const eval_context<Foreign> here(context, keyword_name());
  for (const auto& member : instance.object_range()) {
    const auto property = properties_.find(member.key());
    if (property == properties_.end()) continue;
    const eval_context<Foreign> inside{here, member.key(), evaluation_flags{}};
    const std::size_t errors = reporter.error_count();
    if (property->second->validate(inside, member.value(), location / member.key(), results,
                                   reporter, patch) == walk_result::abort) {
      return walk_result::abort;
    }
    allowed.insert(member.key());
    if (errors == reporter.error_count() && context.require_evaluated_properties()) {
      results.evaluated_properties.insert(member.key());
    }
  }
  return walk_result::advance;
}

template <>
inline walk_result additional_properties_validator<Foreign>::do_validate(
    const eval_context<Foreign>& context, const Foreign& instance,
    const jsonpointer::json_pointer& location, evaluation_results& results,
    error_reporter& reporter, Foreign& patch) const {
  if (!instance.is_object()) return walk_result::advance;
  std::unordered_set<std::string> allowed;
  for (const bool by_name : {true, false}) {
    auto walked = walk_result::advance;
    if (by_name && properties_) {
      walked =
          properties_->validate(context, instance, location, results, reporter, patch, allowed);
    } else if (!by_name && pattern_properties_) {
      walked = pattern_properties_->validate(context, instance, location, results, reporter, patch,
                                             allowed);
    }
    if (walked == walk_result::abort) return walked;
  }
  if (!additional_properties_) return walk_result::advance;
  const eval_context<Foreign> here(context, keyword_name());
  for (const auto& member : instance.object_range()) {
    if (allowed.contains(member.key())) continue;
    const eval_context<Foreign> inside{here, member.key(), evaluation_flags{}};
    const auto place = location / member.key();
    if (additional_properties_->always_fails()) {  // one of them is enough
      return reporter.error(make_validation_message(
          inside.eval_path(), place,
          "Additional property '" + member.key() + "' not allowed by schema."));
    }
    FirstMistakes mistakes;
    if (!additional_properties_->always_succeeds()) {
      additional_properties_->validate(inside, member.value(), place, results, mistakes, patch);
    }
    if (mistakes.errors.empty()) {
      if (context.require_evaluated_properties()) results.evaluated_properties.insert(member.key());
    } else if (reporter.error(make_validation_message(
                   here.eval_path(), location,
                   "Additional property '" + member.key() + "' found but was invalid.")) ==
               walk_result::abort) {
      return walk_result::abort;
    }
  }
  return walk_result::advance;
}

/// jsoncons has the names' mistakes at the object, as if they were its own.
template <>
inline walk_result property_names_validator<Foreign>::do_validate(
    const eval_context<Foreign>& context, const Foreign& instance,
    const jsonpointer::json_pointer& location, evaluation_results&, error_reporter& reporter,
    Foreign& patch) const {
  if (!instance.is_object() || instance.empty() || !schema_val_) return walk_result::advance;
  const eval_context<Foreign> here(context, keyword_name());
  if (schema_val_->always_fails()) {
    return reporter.error(
        make_validation_message(here.eval_path(), location, "no property is expected"));
  }
  for (const auto& member : instance.object_range()) {
    FirstMistakes mistakes;
    evaluation_results unused;
    schema_val_->validate(here, Foreign(member.key()), jsonpointer::json_pointer(), unused,
                          mistakes, patch);
    if (mistakes.errors.empty()) continue;
    if (reporter.error(make_validation_message(
            here.eval_path(), location, "property name '" + member.key() + "' is not allowed",
            mistakes.errors)) == walk_result::abort) {
      return walk_result::abort;
    }
  }
  return walk_result::advance;
}

/// What another property requires is wrong with the object, not with that property.
template <>
inline walk_result dependent_required_validator<Foreign>::do_validate(
    const eval_context<Foreign>& context, const Foreign& instance,
    const jsonpointer::json_pointer& location, evaluation_results& results,
    error_reporter& reporter, Foreign& patch) const {
  if (!instance.is_object()) return walk_result::advance;
  const eval_context<Foreign> here(context, keyword_name());
  for (const auto& [name, validator] : dependent_required_) {
    if (instance.contains(name) && validator->validate(here, instance, location, results, reporter,
                                                       patch) == walk_result::abort) {
      return walk_result::abort;
    }
  }
  return walk_result::advance;
}

template <>
inline walk_result dependent_schemas_validator<Foreign>::do_validate(
    const eval_context<Foreign>& context, const Foreign& instance,
    const jsonpointer::json_pointer& location, evaluation_results& results,
    error_reporter& reporter, Foreign& patch) const {
  if (!instance.is_object()) return walk_result::advance;
  const eval_context<Foreign> here(context, keyword_name());
  for (const auto& [name, validator] : dependent_schemas_) {
    if (instance.contains(name) && validator->validate(here, instance, location, results, reporter,
                                                       patch) == walk_result::abort) {
      return walk_result::abort;
    }
  }
  return walk_result::advance;
}

/// jsoncons leaves the property's name out of the schema's place.
template <>
inline std::unique_ptr<dependent_schemas_validator<Foreign>>
keyword_validator_factory<Foreign>::make_dependent_schemas_validator(
    const compilation_context<Foreign>& context, const Foreign& keyword, const Foreign& parent,
    anchor_uri_map_type& anchors) {
  std::map<std::string, schema_validator<Foreign>::schema_validator_ptr_type> schemas;
  for (const auto& member : keyword.object_range()) {
    const std::string place[] = {"dependentSchemas", member.key()};
    schemas.emplace(member.key(), factory_->make_cross_draft_schema_validator(
                                      context, member.value(), place, anchors));
  }
  return std::make_unique<dependent_schemas_validator<Foreign>>(
      parent, context.get_base_uri(), context.get_custom_message("dependentSchemas"),
      std::move(schemas));
}

template <>
inline walk_result max_contains_keyword<Foreign>::validate(
    const eval_context<Foreign>& context, const jsonpointer::json_pointer& location,
    std::size_t count, error_reporter& reporter) const {
  if (count <= max_value_) return walk_result::advance;
  const eval_context<Foreign> here(context, keyword_name());
  return reporter.error(make_validation_message(
      here.eval_path(), location,
      fmt::format("expected at most {} matching `contains`, found {}",
                  toolway::tools::schema::quantity(max_value_, "item"), count)));
}

template <>
inline walk_result min_contains_keyword<Foreign>::validate(
    const eval_context<Foreign>& context, const jsonpointer::json_pointer& location,
    std::size_t count, error_reporter& reporter) const {
  if (count >= min_value_) return walk_result::advance;
  const eval_context<Foreign> here(context, keyword_name());
  return reporter.error(make_validation_message(
      here.eval_path(), location,
      fmt::format("expected at least {} matching `contains`, found {}",
                  toolway::tools::schema::quantity(min_value_, "item"), count)));
}

template <>
inline walk_result contains_validator<Foreign>::do_validate(
    const eval_context<Foreign>& context, const Foreign& instance,
    const jsonpointer::json_pointer& location, evaluation_results& results,
    error_reporter& reporter, Foreign& patch) const {
  if (!instance.is_array() || !schema_validator_) return walk_result::advance;
  const eval_context<Foreign> here(context, keyword_name());
  std::size_t matching = 0;
  std::size_t index = 0;
  std::size_t since = 0;  // where the items began that match one after the other
  const auto note = [&](std::size_t end) {
    if (since < end && context.require_evaluated_items())
      results.evaluated_items.insert(range{since, end});
  };
  for (const auto& item : instance.array_range()) {
    FirstMistakes mistakes;
    evaluation_results its;
    schema_validator_->validate(here, item, location / index, its, mistakes, patch);
    if (mistakes.errors.empty()) {
      ++matching;
    } else {
      note(index);
      since = index + 1;
    }
    ++index;
  }
  note(index);
  if (max_contains_ || min_contains_) {
    if (max_contains_ &&
        max_contains_->validate(here, location, matching, reporter) == walk_result::abort) {
      return walk_result::abort;
    }
    return min_contains_ ? min_contains_->validate(here, location, matching, reporter)
                         : walk_result::advance;
  }
  if (matching > 0) return walk_result::advance;
  return reporter.error(make_validation_message(here.eval_path(), location, "none matches"));
}

/// jsoncons looks through all ranges for each item: their number can be half that of the items.
template <>
inline walk_result unevaluated_items_validator<Foreign>::do_validate(
    const eval_context<Foreign>& context, const Foreign& instance,
    const jsonpointer::json_pointer& location, evaluation_results& results,
    error_reporter& reporter, Foreign& patch) const {
  if (!instance.is_array() || !schema_val_) return walk_result::advance;
  std::vector<std::pair<std::size_t, std::size_t>> known;
  for (const auto& one : results.evaluated_items) known.emplace_back(one.start(), one.end());
  std::sort(known.begin(), known.end());
  SchemaWork::spend(known.size() / 8);
  const eval_context<Foreign> here(context, keyword_name());
  std::size_t index = 0;
  std::size_t known_until = 0;
  auto next = known.begin();
  bool all_hold = true;
  for (const auto& item : instance.array_range()) {
    const std::size_t at = index++;
    for (; next != known.end() && next->first <= at; ++next)
      known_until = std::max(known_until, next->second);
    if (at < known_until || schema_val_->always_succeeds()) continue;
    const eval_context<Foreign> inside{here, at, evaluation_flags{}};
    if (schema_val_->always_fails()) {
      return reporter.error(make_validation_message(
          inside.eval_path(), location / at,
          fmt::format(
              "Unevaluated item at index '{}' but the schema does not allow unevaluated items.",
              at)));
    }
    const std::size_t errors = reporter.error_count();
    evaluation_results its;
    if (schema_val_->validate(inside, item, location / at, its, reporter, patch) ==
        walk_result::abort) {
      return walk_result::abort;
    }
    all_hold = all_hold && errors == reporter.error_count();
  }
  if (all_hold && context.require_evaluated_items())
    results.evaluated_items.insert(range{0, instance.size()});
  return walk_result::advance;
}

}  // namespace jsoncons::jsonschema
