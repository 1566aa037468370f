#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace toolway::tools::native {

/// What can be said of one property; set what matters.
struct Property {
  std::string description{};
  bool required = false;
  OrderedJson default_value{};         ///< null: none
  std::vector<OrderedJson> choices{};  ///< `enum`
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  std::optional<std::size_t> max_length{};  ///< of a string, in characters
  std::string pattern{};
};

/// The shorthand for an object schema by hand:
///
///     ObjectSchema()
///         .string("city", {.description = "Where", .required = true})
///         .string("unit", {.default_value = "celsius", .choices = {"celsius", "fahrenheit"}})
///
/// Properties that are not named are refused, unless `open()` is called.
class ObjectSchema {
 public:
  ObjectSchema();
  ObjectSchema& string(std::string_view name, Property property = {});
  ObjectSchema& integer(std::string_view name, Property property = {});
  ObjectSchema& number(std::string_view name, Property property = {});
  ObjectSchema& boolean(std::string_view name, Property property = {});
  /// `item`: the schema of each item, e.g. {{"type", "string"}}.
  ObjectSchema& array(std::string_view name, OrderedJson item, Property property = {});
  ObjectSchema& object(std::string_view name, const ObjectSchema& schema, Property property = {});
  /// Anything that the above cannot say, as JSON Schema.
  ObjectSchema& property(std::string_view name, OrderedJson schema, Property property = {});
  ObjectSchema& open();

  OrderedJson build() const { return schema_; }

 private:
  OrderedJson schema_;
};

}  // namespace toolway::tools::native
