#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace toolway::persistence::audit {

/// A last seal as it is noted down outside the database.
struct Anchor {
  std::int64_t number = 0;  ///< 0: there was none
  std::string mac;          ///< Sha256::kBytes bytes; of none: empty

  bool operator==(const Anchor&) const = default;
};

/// `812:9f86d0…`; `0`: none.
std::string text_of(const Anchor& anchor);
/// What text_of has made. Errors: kInvalidRequest.
Result<Anchor> parse_anchor(std::string_view text);

}  // namespace toolway::persistence::audit
