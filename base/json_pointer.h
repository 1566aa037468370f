#pragma once

#include <string>

#include "base/json.h"

namespace toolway {

/// The JSON Pointer (RFC 6901) of member `name` of what `parent` points at.
inline std::string pointer_to(const std::string& parent, const std::string& name) {
  Json::json_pointer token;
  token.push_back(name);
  return parent + token.to_string();
}

/// Whether a text is a JSON Pointer.
inline bool valid_pointer(const std::string& text) {
  try {
    const Json::json_pointer parsed(text);
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

/// What a JSON Pointer points at in `value`; null: nothing.
inline const Json* value_at(const Json& value, const std::string& pointer) {
  // `contains` throws for indices beyond what a size holds, and `at` for `-` and `01`.
  try {
    const Json::json_pointer parsed(pointer);
    return value.contains(parsed) ? &value.at(parsed) : nullptr;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

}  // namespace toolway
