#include "tools/specs/spec_checks.h"

#include <fmt/format.h>

#include "base/held_pool.h"
#include "base/ids.h"
#include "base/reserved_names.h"
#include "tools/model/kinds.h"
#include "tools/schema/schema.h"
#include "tools/specs/bounds.h"

namespace toolway::tools::specs {
namespace {

void check_name(Fields& fields, std::string_view field, const std::string& name) {
  if (fields.find(field) == nullptr || valid_name(name)) return;
  fields.mistakes().add(fields.line_of(field),
                        fmt::format("`{}` must be 1 to 64 characters of A-Z a-z 0-9 _ -, not {}",
                                    field, in_quotes(name)));
}

/// The line of a JSON Pointer that begins with a field: `/input_schema/properties/x`.
int line_at(Fields& fields, std::string_view pointer) {
  if (pointer.starts_with('/')) pointer.remove_prefix(1);
  const auto end = std::min(pointer.find('/'), pointer.size());
  const auto* field = fields.find(pointer.substr(0, end));
  return field == nullptr ? fields.line()
                          : line_at(*field->value, field->line, pointer.substr(end));
}

void check_schema(Fields& fields, std::string_view name, const OrderedJson& schema) {
  if (const auto values = values_in(schema); values > kMaxSchemaValues) {
    return fields.mistakes().add(
        fields.line_of(name),
        fmt::format("`{}` has {} values; the limit is {}", name, values, kMaxSchemaValues));
  }
  for (const auto& mistake : schema::schema_mistakes(schema)) {
    const auto& at = mistake.place;
    fields.mistakes().add(
        line_at(fields, fmt::format("/{}{}", name, at)),
        fmt::format("`{}`{}{}: {}", name, at.empty() ? "" : " at ", at, mistake.message));
  }
}

}  // namespace

std::size_t values_in(const OrderedJson& schema) {
  std::size_t count = 1;
  if (!schema.is_structured()) return count;
  for (const auto& inside : schema) count += values_in(inside);
  return count;
}

void check_names(Fields& fields, const model::Spec& spec) {
  check_name(fields, "name", spec.name);
  check_name(fields, "namespace", spec.ns);
  if (spec.ns == kTurnNamespace || spec.ns == kTasksNamespace)
    fields.mistakes().add(fields.line_of("namespace"),
                          fmt::format("the namespace `{}` has the gateways' own tools: choose "
                                      "another name",
                                      spec.ns));
}

void check_hints(Fields& fields, const model::Spec& spec) {
  if (!spec.read_only || !spec.dangerous) return;
  const auto* field = fields.find("read_only") != nullptr ? "read_only" : "dangerous";
  fields.mistakes().add(fields.line_of(field),
                        "a tool that is `read_only` changes nothing, so it cannot be `dangerous` "
                        "as well: remove one of them");
}

void check_pool(Fields& fields, const model::Spec& spec) {
  check_name(fields, "pool", spec.pool);
  if (spec.pool == kHeldPool)
    fields.mistakes().add(fields.line_of("pool"), std::string(kHeldPoolTaken));
  if (spec.pool == kChatPool)
    fields.mistakes().add(fields.line_of("pool"),
                          "the pool `chat` runs turns of conversations: choose another name");
}

void check_schemas(Fields& fields, const model::Spec& spec) {
  if (fields.find("input_schema") == nullptr && spec.input_schema.is_null()) {
    return fields.mistakes().add(fields.line(), "a tool has no `input_schema`");
  }
  const auto type =
      spec.input_schema.is_object() ? spec.input_schema.find("type") : spec.input_schema.end();
  if (!spec.input_schema.is_object()) {
    fields.mistakes().add(fields.line_of("input_schema"),
                          "`input_schema` must be a mapping with `type: object`");
  } else if (type == spec.input_schema.end() || *type != "object") {
    fields.mistakes().add(line_at(fields, "/input_schema/type"),
                          "`input_schema` must say `type: object`");
  } else {
    check_schema(fields, "input_schema", spec.input_schema);
  }
  if (!spec.output_schema.is_null()) check_schema(fields, "output_schema", spec.output_schema);
}

void check_config(Fields& fields, const model::Spec& spec, const model::KindTypes& kinds) {
  for (auto& mistake : kinds.check(spec)) {
    // A line may hold many values, and a message such as "is not a header name" is about one.
    const bool names_it = mistake.place.rfind('/') == 0 || mistake.message.starts_with('`');
    fields.mistakes().add(line_at(fields, mistake.place),
                          names_it ? std::move(mistake.message) : mistake.text());
  }
}

void check_size(Fields& fields, const model::Spec& spec) {
  const auto bytes = to_text(model::to_document(spec)).size();
  if (bytes <= kMaxSpecBytes) return;
  fields.mistakes().add(fields.line(),
                        fmt::format("the spec has {} bytes as JSON; the limit is {} KiB", bytes,
                                    kMaxSpecBytes >> 10));
}

}  // namespace toolway::tools::specs
