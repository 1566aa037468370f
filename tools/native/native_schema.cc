#include "tools/native/native_schema.h"

#include <cmath>

namespace toolway::tools::native {
namespace {

/// 10, not 10.0.
OrderedJson number(double value) {
  if (std::trunc(value) == value && std::fabs(value) < 0x1p53) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

}  // namespace

OrderedJson integer_schema(std::optional<std::int64_t> least, std::optional<std::uint64_t> most) {
  OrderedJson schema{{"type", "integer"}};
  if (least) schema["minimum"] = *least;
  if (most) schema["maximum"] = *most;
  return schema;
}

OrderedJson enum_schema(std::vector<std::string> choices) {
  return {{"type", "string"}, {"enum", std::move(choices)}};
}

OrderedJson empty_object_schema() {
  return {
      {"type", "object"}, {"properties", OrderedJson::object()}, {"additionalProperties", false}};
}

void add_property(OrderedJson& object, std::string_view name, OrderedJson property, bool required) {
  object["properties"][std::string(name)] = std::move(property);
  if (required) object["required"].push_back(std::string(name));
}

void annotate(OrderedJson& property, const Field& field) {
  if (!field.description.empty()) property["description"] = std::string(field.description);
  if (field.minimum) property["minimum"] = number(*field.minimum);
  if (field.maximum) property["maximum"] = number(*field.maximum);
  if (!field.pattern.empty()) property["pattern"] = std::string(field.pattern);
  const auto type = property.value("type", std::string());
  const std::string what = type == "array" ? "Items" : type == "object" ? "Properties" : "Length";
  if (field.min_length) property["min" + what] = *field.min_length;
  if (field.max_length) property["max" + what] = *field.max_length;
}

}  // namespace toolway::tools::native
