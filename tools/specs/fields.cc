#include "tools/specs/fields.h"

namespace toolway {

std::vector<StrictMember<tools::Located>> StrictTree<tools::Located>::members(
    const tools::Located& value) {
  std::vector<StrictMember<tools::Located>> made;
  made.reserve(value.members.size());
  for (const auto& member : value.members)
    made.push_back({member.key, member.key, member.line, &member.value});
  return made;
}

template class StrictObject<tools::Located>;

}  // namespace toolway
