#include "tools/native/schema_builder.h"

#include <utility>

#include "tools/native/native_schema.h"

namespace toolway::tools::native {

ObjectSchema::ObjectSchema() : schema_(empty_object_schema()) {}

ObjectSchema& ObjectSchema::property(std::string_view name, OrderedJson schema, Property property) {
  annotate(schema, {.name = name,
                    .description = property.description,
                    .minimum = property.minimum,
                    .maximum = property.maximum,
                    .max_length = property.max_length,
                    .pattern = property.pattern});
  if (!property.choices.empty()) schema["enum"] = std::move(property.choices);
  if (!property.default_value.is_null()) schema["default"] = std::move(property.default_value);
  add_property(schema_, name, std::move(schema), property.required);
  return *this;
}

ObjectSchema& ObjectSchema::string(std::string_view name, Property options) {
  return property(name, {{"type", "string"}}, std::move(options));
}
ObjectSchema& ObjectSchema::integer(std::string_view name, Property options) {
  return property(name, {{"type", "integer"}}, std::move(options));
}
ObjectSchema& ObjectSchema::number(std::string_view name, Property options) {
  return property(name, {{"type", "number"}}, std::move(options));
}
ObjectSchema& ObjectSchema::boolean(std::string_view name, Property options) {
  return property(name, {{"type", "boolean"}}, std::move(options));
}
ObjectSchema& ObjectSchema::array(std::string_view name, OrderedJson item, Property options) {
  return property(name, {{"type", "array"}, {"items", std::move(item)}}, std::move(options));
}
ObjectSchema& ObjectSchema::object(std::string_view name, const ObjectSchema& schema,
                                   Property options) {
  return property(name, schema.build(), std::move(options));
}

ObjectSchema& ObjectSchema::open() {
  schema_.erase("additionalProperties");
  return *this;
}

}  // namespace toolway::tools::native
