#pragma once

#include <string>

#include "base/json.h"
#include "base/utf8.h"

/// Reading objects from outside: what is of another type counts as not there.
namespace toolway::mcp {

/// Null: no such member.
inline const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

/// Cut to `most` bytes; empty: not there, or no text.
inline std::string short_text(const Json& object, const char* name, std::size_t most = 256) {
  const auto* found = member(object, name);
  if (found == nullptr || !found->is_string()) return {};
  auto text = found->get_ref<const std::string&>().substr(0, most);
  while (!valid_utf8(text)) text.pop_back();
  return text;
}

inline bool flag(const Json& object, const char* name) {
  const auto* found = member(object, name);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

}  // namespace toolway::mcp
