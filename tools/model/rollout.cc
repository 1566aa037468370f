#include "tools/model/rollout.h"

#include <string>

#include "base/sha256.h"

namespace toolway::tools::model {

bool in_rollout(std::string_view session_key, std::string_view qualified_name, unsigned percent) {
  Sha256 hash;
  hash.add(session_key);
  hash.add("\n");
  hash.add(qualified_name);
  // 60 bits: what a remainder of 100 leaves uneven is far below one session in any fleet.
  const auto value = std::stoull(hash.hex().substr(0, 15), nullptr, 16);
  return value % 100 < percent;
}

}  // namespace toolway::tools::model
