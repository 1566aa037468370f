#include "tools/schema/schema.h"

// The one file that includes jsoncons: it takes 16 s to compile.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/json_pointer.h"
#include "tools/schema/pattern.h"
#include "tools/schema/schema_form.h"
#include "tools/schema/schema_inside_keywords.h"
#include "tools/schema/schema_multiple_of.h"
#include "tools/schema/schema_prepare.h"
#include "tools/schema/schema_words.h"
#include "tools/schema/schema_work.h"
#include "tools/schema/whole_numbers.h"

namespace toolway::tools::schema {
namespace {

namespace jsonschema = jsoncons::jsonschema;

constexpr std::size_t kMaxViolations = 20;
/// Sorted before they are cut to the above; a document can have very many.
constexpr std::size_t kMaxCollected = 200;

Foreign to_foreign(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object: {
      Foreign object(jsoncons::json_object_arg);
      for (const auto& [key, member] : value.items())
        object.insert_or_assign(key, to_foreign(member));
      return object;
    }
    case Json::value_t::array: {
      Foreign array(jsoncons::json_array_arg);
      array.reserve(value.size());
      for (const auto& item : value) array.push_back(to_foreign(item));
      return array;
    }
    case Json::value_t::string: return Foreign(value.get_ref<const std::string&>());
    case Json::value_t::boolean: return Foreign(value.get<bool>());
    case Json::value_t::number_integer: return Foreign(value.get<std::int64_t>());
    case Json::value_t::number_unsigned: return Foreign(value.get<std::uint64_t>());
    case Json::value_t::number_float: return Foreign(value.get<double>());
    case Json::value_t::null:
    case Json::value_t::binary:
    case Json::value_t::discarded: return Foreign::null();
  }
  return Foreign::null();
}

/// A property's name in a `#fragment`: percent-encoded by RFC 3986.
std::string fragment_decoded(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::sscanf(text.c_str() + i + 1, "%2x", &value) == 1) {
      decoded += static_cast<char>(value);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

/// jsoncons keeps no state in a compiled schema while it validates (all its
/// validators are const and without mutable members), so all threads share one.
class JsonconsSchema final : public CompiledSchema {
 public:
  JsonconsSchema(PreparedSchema prepared, jsonschema::json_schema<Foreign> compiled)
      : prepared_(std::move(prepared)), compiled_(std::move(compiled)) {}

  std::optional<std::vector<Violation>> validate_within(const Json& document,
                                                        std::uint64_t most_steps) const override {
    std::vector<Violation> found;
    try {
      const SchemaWork work(most_steps);
      compiled_.validate(to_foreign(document), [&](const jsonschema::validation_message& message) {
        collect(message, document, found);
        return found.size() < kMaxCollected ? jsonschema::walk_result::advance
                                            : jsonschema::walk_result::abort;
      });
    } catch (const SchemaWork::Spent&) {
      return std::nullopt;
    } catch (const std::exception& error) {
      found.push_back({"", fmt::format("cannot be checked: {}", error.what())});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Violation& a, const Violation& b) { return depth(a) < depth(b); });
    if (found.size() > kMaxViolations) found.resize(kMaxViolations);
    return found;
  }

  std::optional<Json> with_integers(const Json& document) const override {
    return schema::with_integers(document, prepared_);
  }

 private:
  static std::ptrdiff_t depth(const Violation& violation) {
    return std::count(violation.place.begin(), violation.place.end(), '/');
  }

  void collect(const jsonschema::validation_message& message, const Json& document,
               std::vector<Violation>& found) const {
    // What does not match allOf is what its parts say. For anyOf and oneOf the
    // parts are alternatives: they go into one violation's words.
    if (message.keyword() == "allOf" && !message.details().empty()) {
      for (const auto& detail : message.details()) collect(detail, document, found);
      return;
    }
    if (message.keyword() == "propertyNames" && !message.details().empty()) {
      const auto name = quoted_name(message.message());
      std::vector<Violation> wrong;
      for (const auto& detail : message.details()) collect(detail, Json(name), wrong);
      found.push_back({.place = message.instance_location().string(),
                       .message = bad_name(name, describe(wrong)),
                       .keyword = message.keyword()});
      return;
    }
    Violation violation = in_words(
        {.keyword = message.keyword(),
         .path = message.instance_location().string(),
         .schema_path = fragment_decoded(std::string(message.schema_location().encoded_fragment())),
         .message = message.message()},
        prepared_.schema, document);
    if (!message.details().empty()) {
      std::vector<Violation> alternatives;
      for (const auto& detail : message.details()) collect(detail, document, alternatives);
      alternatives.resize(std::min<std::size_t>(alternatives.size(), 5));
      violation.message = "none of the alternatives matches: " + describe(alternatives);
    }
    found.push_back(std::move(violation));
  }

  const PreparedSchema prepared_;
  const jsonschema::json_schema<Foreign> compiled_;
};

using Found = std::vector<Mistake>;
using Compilation = tl::expected<std::shared_ptr<const CompiledSchema>, Found>;

tl::unexpected<Found> refuse(std::string pointer, std::string what) {
  return tl::unexpected(Found{{std::move(pointer), std::move(what)}});
}

std::vector<Violation> against_meta_schema(const Json& schema) {
  static const JsonconsSchema meta = [] {
    auto draft = jsonschema::draft202012::schema_draft202012<Foreign>::get_schema();
    PreparedSchema words{.schema = Json::parse(draft.to_string())};
    return JsonconsSchema(std::move(words), jsonschema::make_json_schema(std::move(draft)));
  }();
  return meta.validate(schema);
}

/// Whether `schema` is a schema at all, by the draft's own meta-schema: jsoncons
/// itself lets some mistakes pass, and says little about others. From the inside out, so
/// that each mistake is found at its own place and not at the top.
Found check_form(const Json& schema, const std::string& pointer) {
  if (!schema.is_object() && !schema.is_boolean())
    return {{pointer, "a schema must be a JSON object"}};
  if (surely_a_schema(schema)) return {};
  Found mistakes;
  Json outside = schema;
  for_each_subschema(outside, [&](Json& inside, const std::string& at) {
    auto found = check_form(inside, pointer + at);
    std::move(found.begin(), found.end(), std::back_inserter(mistakes));
    inside = true;
  });
  for (auto& violation : against_meta_schema(outside)) {
    mistakes.push_back({pointer + violation.place, "not a JSON Schema: " + violation.message});
  }
  return mistakes;
}

/// The patterns that cannot be used, each at its place and with the reason: only where the
/// schema has patterns, not where one of its examples or properties has such a name.
Found bad_patterns(Json& schema, const std::string& pointer) {
  Found mistakes;
  if (!schema.is_object()) return mistakes;
  const auto check = [&](const std::string& text, const std::string& at) {
    const auto pattern = Pattern::create(text);
    if (!pattern) mistakes.push_back({at, "the pattern cannot be used: " + pattern.error()});
  };
  if (const auto pattern = schema.find("pattern");
      pattern != schema.end() && pattern->is_string()) {
    check(pattern->get_ref<const std::string&>(), pointer + "/pattern");
  }
  if (const auto named = schema.find("patternProperties");
      named != schema.end() && named->is_object()) {
    for (const auto& [text, unused] : named->items())
      check(text, pointer_to(pointer + "/patternProperties", text));
  }
  for_each_subschema(schema, [&](Json& inside, const std::string& at) {
    auto found = bad_patterns(inside, pointer + at);
    std::move(found.begin(), found.end(), std::back_inserter(mistakes));
  });
  return mistakes;
}

Compilation compile(const OrderedJson& ordered) {
  Json schema = Json::parse(to_text(ordered));
  try {
    if (auto mistakes = check_form(schema, ""); !mistakes.empty())
      return tl::unexpected(std::move(mistakes));
    auto prepared = prepare_schema(schema);
    if (!prepared) return tl::unexpected(Found{std::move(prepared.error())});
    if (auto mistakes = bad_patterns(schema, ""); !mistakes.empty())
      return tl::unexpected(std::move(mistakes));
    auto compiled = jsonschema::make_json_schema(to_foreign(prepared->schema));
    return std::make_shared<JsonconsSchema>(*std::move(prepared), std::move(compiled));
  } catch (const std::exception& error) {
    return refuse("", fmt::format("schema cannot be compiled: {}", error.what()));
  }
}

}  // namespace

std::vector<Violation> CompiledSchema::validate(const Json& document) const {
  auto found = validate_within(document, kMaxSteps);
  if (found) return *std::move(found);
  return {
      {"",
       "checking this document against its schema takes too many steps: make it smaller, or the schema simpler"}};
}

Result<std::shared_ptr<const CompiledSchema>> compile_schema(const OrderedJson& schema) {
  auto compiled = compile(schema);
  if (compiled) return *std::move(compiled);
  std::string text;
  for (const auto& mistake : compiled.error()) {
    if (!text.empty()) text += "; ";
    text += mistake.place.empty()
                ? mistake.message
                : fmt::format("schema at '{}': {}", mistake.place, mistake.message);
  }
  return fail(ErrorCode::kInvalidSpec, std::move(text));
}

std::vector<Mistake> schema_mistakes(const OrderedJson& schema) {
  auto compiled = compile(schema);
  return compiled ? Found{} : std::move(compiled.error());
}

std::string describe(const std::vector<Violation>& violations) {
  std::string text;
  for (const auto& violation : violations) {
    if (!text.empty()) text += "; ";
    if (!violation.place.empty()) text += violation.place + ": ";
    text += violation.message;
  }
  return text;
}

}  // namespace toolway::tools::schema
