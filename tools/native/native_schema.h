#pragma once

#include <optional>
#include <string_view>

#include "tools/native/native_values.h"

/// JSON Schemas of described C++ types.
namespace toolway::tools::native {

/// What a struct says about one of its members beyond its type, in
/// `static constexpr auto fields = std::to_array<Field>({…})`.
struct Field {
  std::string_view name;
  std::string_view description{};
  /// May be left out, and is then what its member initialiser says.
  bool has_default = false;
  std::optional<double> minimum{};
  std::optional<double> maximum{};
  std::optional<std::size_t> min_length{};  ///< characters, items or entries, by the type
  std::optional<std::size_t> max_length{};
  std::string_view pattern{};  ///< ECMAScript; strings over 256 characters are refused
};

template <typename T>
concept HasFields = requires { T::fields.size(); };

// The parts that depend on no type.
OrderedJson integer_schema(std::optional<std::int64_t> least, std::optional<std::uint64_t> most);
OrderedJson enum_schema(std::vector<std::string> choices);
OrderedJson empty_object_schema();
void add_property(OrderedJson& object, std::string_view name, OrderedJson property, bool required);
void annotate(OrderedJson& property, const Field& field);

/// Whether every entry of `fields` names a member: a spelling mistake there is a compile error.
template <typename T>
constexpr bool fields_name_members() {
  bool all = true;
  for (const auto& field : T::fields) {
    bool found = false;
    boost::mp11::mp_for_each<Members<T>>(
        [&](auto member) { found = found || field.name == std::string_view(member.name); });
    all = all && found;
  }
  return all;
}

template <typename T>
OrderedJson schema_of();

template <typename T>
OrderedJson object_schema() {
  OrderedJson object = empty_object_schema();
  const T initial{};
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    using Member = std::remove_cvref_t<decltype(initial.*member.pointer)>;
    OrderedJson property = schema_of<Member>();
    bool required = !IsOptional<Member>::value;
    if constexpr (HasFields<T>) {
      static_assert(fields_name_members<T>(),
                    "`fields` names something that is not a described member of this struct");
      for (const Field& field : T::fields) {
        if (field.name != member.name) continue;
        annotate(property, field);
        if (field.has_default) {
          required = false;
          property["default"] = OrderedJson::parse(to_text(write(initial.*member.pointer)));
        }
      }
    }
    add_property(object, member.name, std::move(property), required);
  });
  return object;
}

template <typename T>
OrderedJson schema_of() {
  if constexpr (std::is_same_v<T, Json>) {
    return OrderedJson::object();
  } else if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (DescribedEnum<T>) {
    std::vector<std::string> choices;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
        [&](auto enumerator) { choices.emplace_back(enumerator.name); });
    return enum_schema(std::move(choices));
  } else if constexpr (std::is_integral_v<T>) {
    // The bounds of 64-bit types would only be noise to a model; reading checks them.
    std::optional<std::int64_t> least;
    std::optional<std::uint64_t> most;
    if constexpr (std::is_unsigned_v<T> || sizeof(T) < 8) least = std::numeric_limits<T>::min();
    if constexpr (sizeof(T) < 8) most = std::numeric_limits<T>::max();
    return integer_schema(least, most);
  } else if constexpr (std::is_floating_point_v<T>) {
    return {{"type", "number"}};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return {{"type", "string"}};
  } else if constexpr (IsOptional<T>::value) {
    return schema_of<typename T::value_type>();
  } else if constexpr (IsVector<T>::value) {
    return {{"type", "array"}, {"items", schema_of<typename T::value_type>()}};
  } else if constexpr (IsMap<T>::value) {
    return {{"type", "object"}, {"additionalProperties", schema_of<typename T::mapped_type>()}};
  } else if constexpr (Described<T>) {
    return object_schema<T>();
  } else {
    static_assert(always_false<T>,
                  "a tool's types are bool, numbers, std::string, enums (BOOST_DESCRIBE_ENUM), "
                  "std::optional, std::vector, std::map<std::string, T>, Json, and structs "
                  "described with BOOST_DESCRIBE_STRUCT");
  }
}

}  // namespace toolway::tools::native
