#include "tools/matching/arguments_digest.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/sha256.h"

namespace toolway::tools::matching {
namespace {

/// Whether it is written with a fraction that it does not have.
bool is_whole(const Json& value) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  if (!value.is_number_float()) return false;
  const auto number = value.get<double>();
  return std::trunc(number) == number && std::abs(number) <= kLargestExact;
}

bool is_canonical(const Json& value) {
  return value.is_structured() ? std::all_of(value.begin(), value.end(), &is_canonical)
                               : !is_whole(value);
}

Json canonical(const Json& value) {
  if (is_whole(value)) return static_cast<std::int64_t>(value.get<double>());
  if (!value.is_structured()) return value;
  Json made = value.is_array() ? Json::array() : Json::object();
  for (const auto& [name, inside] : value.items()) {
    if (value.is_array())
      made.push_back(canonical(inside));
    else
      made[name] = canonical(inside);
  }
  return made;
}

}  // namespace

std::string arguments_sha256(const Json& arguments) {
  return sha256_bytes(is_canonical(arguments) ? to_text(arguments) : to_text(canonical(arguments)));
}

std::string arguments_digest(const Json& arguments) {
  return digest_text(arguments_sha256(arguments));
}

}  // namespace toolway::tools::matching
