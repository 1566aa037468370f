#include "tools/matching/arguments_digest.h"

#include <cmath>

#include "base/sha256.h"

namespace toolway::tools::matching {
namespace {

Json canonical(const Json& value) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  if (value.is_number_float()) {
    const double number = value.get<double>();
    const bool whole = std::trunc(number) == number && std::abs(number) <= kLargestExact;
    return whole ? Json(static_cast<std::int64_t>(number)) : value;
  }
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

std::string arguments_digest(const Json& arguments) {
  Sha256 sum;
  sum.add(to_text(canonical(arguments)));
  return "sha256:" + sum.hex();
}

}  // namespace toolway::tools::matching
