#include "tools/native/native_values.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json_pointer.h"

namespace toolway::tools::native {

void refuse(const std::string& path, std::string_view why) {
  throw InvalidValue(path.empty() ? std::string(why) : fmt::format("{}: {}", path, why));
}

std::string child(const std::string& path, std::string_view name) {
  return pointer_to(path, std::string(name));
}

bool read_bool(const Json& value, const std::string& path) {
  if (!value.is_boolean()) refuse(path, "expected boolean");
  return value.get<bool>();
}

std::int64_t read_signed(const Json& value, std::int64_t least, std::int64_t most,
                         const std::string& path) {
  const auto in_range = [&](std::int64_t number) {
    if (number < least || number > most) {
      refuse(path, fmt::format("expected an integer from {} to {}", least, most));
    }
    return number;
  };
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      refuse(path, fmt::format("expected an integer from {} to {}", least, most));
    }
    return in_range(static_cast<std::int64_t>(number));
  }
  if (value.is_number_integer()) return in_range(value.get<std::int64_t>());
  // In JSON Schema 3.0 is an integer. Both bounds are exact as doubles.
  const double number = read_number(value, path);
  if (std::trunc(number) != number || number < -0x1p63 || number >= 0x1p63) {
    refuse(path, fmt::format("expected an integer from {} to {}", least, most));
  }
  return in_range(static_cast<std::int64_t>(number));
}

std::uint64_t read_unsigned(const Json& value, std::uint64_t most, const std::string& path) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > most) refuse(path, fmt::format("expected an integer from 0 to {}", most));
    return number;
  }
  const double number = read_number(value, path);
  if (std::trunc(number) != number || number < 0 || number >= 0x1p64 ||
      static_cast<std::uint64_t>(number) > most) {
    refuse(path, fmt::format("expected an integer from 0 to {}", most));
  }
  return static_cast<std::uint64_t>(number);
}

double read_number(const Json& value, const std::string& path) {
  if (!value.is_number()) refuse(path, "expected number");
  return value.get<double>();
}

const std::string& read_string(const Json& value, const std::string& path) {
  if (!value.is_string()) refuse(path, "expected string");
  return value.get_ref<const std::string&>();
}

const Json& read_object(const Json& value, const std::string& path) {
  if (!value.is_object()) refuse(path, "expected object");
  return value;
}

const Json& read_array(const Json& value, const std::string& path) {
  if (!value.is_array()) refuse(path, "expected array");
  return value;
}

}  // namespace toolway::tools::native
