#include "tools/specs/located.h"

#include <algorithm>

#include "base/text.h"

namespace toolway::tools::specs {
namespace {

/// RFC 6901, section 4.
std::string unescaped(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      text += token[++i] == '0' ? '~' : '/';
    } else {
      text += token[i];
    }
  }
  return text;
}

const LocatedMember* child(const Located& parent, const std::string& token) {
  if (parent.is_map()) return find(parent, token);
  std::size_t index = 0;
  return parse_number(token, index) && index < parent.members.size() ? &parent.members[index]
                                                                     : nullptr;
}

}  // namespace

const LocatedMember* find(const Located& map, std::string_view key) {
  const auto found = std::find_if(map.members.begin(), map.members.end(),
                                  [&](const LocatedMember& member) { return member.key == key; });
  return map.is_map() && found != map.members.end() ? &*found : nullptr;
}

OrderedJson to_json(const Located& value) {
  if (value.is_list()) {
    OrderedJson list = OrderedJson::array();
    for (const auto& item : value.members) list.push_back(to_json(item.value));
    return list;
  }
  if (value.is_map()) {
    OrderedJson object = OrderedJson::object();
    // Keys are unique already, and looking for each one again would be quadratic.
    auto& members = static_cast<std::vector<std::pair<const std::string, OrderedJson>>&>(
        object.get_ref<OrderedJson::object_t&>());
    members.reserve(value.members.size());
    for (const auto& member : value.members)
      members.emplace_back(member.key, to_json(member.value));
    return object;
  }
  return value.scalar;
}

int line_at(const Located& value, int line, std::string_view pointer) {
  const Located* at = &value;
  while (!pointer.empty() && pointer.front() == '/') {
    pointer.remove_prefix(1);
    const auto end = std::min(pointer.find('/'), pointer.size());
    const auto* next = child(*at, unescaped(pointer.substr(0, end)));
    if (next == nullptr) break;
    line = next->line;
    at = &next->value;
    pointer.remove_prefix(end);
  }
  return line;
}

}  // namespace toolway::tools::specs
