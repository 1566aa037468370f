#include "tools/specs/fields.h"

namespace toolway {
template class StrictObject<tools::specs::Located>;
}  // namespace toolway

namespace toolway::tools::specs {

std::vector<StrictMember<Located>> members_of(const Located& value) {
  std::vector<StrictMember<Located>> made;
  made.reserve(value.members.size());
  for (const auto& member : value.members)
    made.push_back({member.key, member.key, member.line, &member.value});
  return made;
}

}  // namespace toolway::tools::specs
