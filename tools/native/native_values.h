#pragma once

#include <boost/describe.hpp>
#include <boost/mp11/algorithm.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json.h"

/// Values of described C++ types from JSON and to JSON. What does not depend on
/// the type is in native_values.cc.
namespace toolway::tools::native {

/// A value that its C++ type cannot hold; says where (a JSON Pointer) and why.
class InvalidValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsMap : std::false_type {};
template <typename T>
struct IsMap<std::map<std::string, T>> : std::true_type {};

template <typename T>
concept Described = boost::describe::has_describe_members<T>::value && std::is_class_v<T>;
template <typename T>
concept DescribedEnum = boost::describe::has_describe_enumerators<T>::value;

/// All members of T and its described bases.
template <typename T>
using Members = boost::describe::describe_members<T, boost::describe::mod_public |
                                                         boost::describe::mod_inherited>;

template <typename T>
inline constexpr bool always_false = false;

// Each throws InvalidValue naming `path`.
bool read_bool(const Json& value, const std::string& path);
std::int64_t read_signed(const Json& value, std::int64_t least, std::int64_t most,
                         const std::string& path);
std::uint64_t read_unsigned(const Json& value, std::uint64_t most, const std::string& path);
double read_number(const Json& value, const std::string& path);
const std::string& read_string(const Json& value, const std::string& path);
const Json& read_object(const Json& value, const std::string& path);
const Json& read_array(const Json& value, const std::string& path);
[[noreturn]] void refuse(const std::string& path, std::string_view why);
std::string child(const std::string& path, std::string_view name);

template <typename T>
void read(const Json& value, T& to, const std::string& path);

/// The members of a described struct; one that is missing keeps its initialiser.
/// Whether it may be missing was decided by the schema.
template <typename T>
void read_members(const Json& value, T& to, const std::string& path) {
  const Json& object = read_object(value, path);
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    if (const auto found = object.find(member.name); found != object.end()) {
      read(*found, to.*member.pointer, child(path, member.name));
    }
  });
}

template <typename E>
void read_enum(const Json& value, E& to, const std::string& path) {
  const std::string& text = read_string(value, path);
  bool known = false;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto enumerator) {
    if (text == enumerator.name) {
      to = enumerator.value;
      known = true;
    }
  });
  if (!known) refuse(path, "is not one of the choices");
}

template <typename T>
void read(const Json& value, T& to, const std::string& path) {
  if constexpr (std::is_same_v<T, Json>) {
    to = value;
  } else if constexpr (std::is_same_v<T, bool>) {
    to = read_bool(value, path);
  } else if constexpr (DescribedEnum<T>) {
    read_enum(value, to, path);
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    to = static_cast<T>(
        read_signed(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), path));
  } else if constexpr (std::is_integral_v<T>) {
    to = static_cast<T>(read_unsigned(value, std::numeric_limits<T>::max(), path));
  } else if constexpr (std::is_floating_point_v<T>) {
    to = static_cast<T>(read_number(value, path));
  } else if constexpr (std::is_same_v<T, std::string>) {
    to = read_string(value, path);
  } else if constexpr (IsOptional<T>::value) {
    read(value, to.emplace(), path);
  } else if constexpr (IsVector<T>::value) {
    to.clear();
    for (const Json& item : read_array(value, path)) {
      typename T::value_type one{};
      read(item, one, child(path, std::to_string(to.size())));
      to.push_back(std::move(one));
    }
  } else if constexpr (IsMap<T>::value) {
    to.clear();
    for (const auto& [key, item] : read_object(value, path).items()) {
      read(item, to[key], child(path, key));
    }
  } else if constexpr (Described<T>) {
    read_members(value, to, path);
  } else {
    static_assert(always_false<T>,
                  "a tool's arguments are made of bool, numbers, std::string, enums "
                  "(BOOST_DESCRIBE_ENUM), std::optional, std::vector, std::map<std::string, T>, "
                  "Json, and structs described with BOOST_DESCRIBE_STRUCT");
  }
}

template <typename E>
std::string enum_name(E value) {
  const char* name = boost::describe::enum_to_string(value, nullptr);
  return name != nullptr ? name : std::to_string(static_cast<std::int64_t>(value));
}

template <typename T>
Json write(const T& value) {
  if constexpr (DescribedEnum<T>) {
    return enum_name(value);
  } else if constexpr (IsOptional<T>::value) {
    return value ? write(*value) : Json();
  } else if constexpr (IsVector<T>::value) {
    Json array = Json::array();
    for (const typename T::value_type& item : value) array.push_back(write(item));
    return array;
  } else if constexpr (IsMap<T>::value) {
    Json object = Json::object();
    for (const auto& [key, item] : value) object[key] = write(item);
    return object;
  } else if constexpr (Described<T>) {
    Json object = Json::object();
    boost::mp11::mp_for_each<Members<T>>([&](auto member) {
      const auto& item = value.*member.pointer;
      if constexpr (IsOptional<std::remove_cvref_t<decltype(item)>>::value) {
        if (!item) return;  // absent, as in arguments
      }
      object[member.name] = write(item);
    });
    return object;
  } else if constexpr (std::is_same_v<T, Json> || std::is_arithmetic_v<T> ||
                       std::is_same_v<T, std::string>) {
    return Json(value);
  } else {
    static_assert(always_false<T>,
                  "a tool's result is made of bool, numbers, std::string, enums "
                  "(BOOST_DESCRIBE_ENUM), std::optional, std::vector, std::map<std::string, T>, "
                  "Json, and structs described with BOOST_DESCRIBE_STRUCT");
  }
}

}  // namespace toolway::tools::native
