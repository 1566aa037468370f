#pragma once

#include <string>

#include "base/json.h"

namespace toolway::tools {

/// The JSON Pointer (RFC 6901) of member `name` of what `parent` points at.
inline std::string pointer_to(const std::string& parent, const std::string& name) {
  Json::json_pointer token;
  token.push_back(name);
  return parent + token.to_string();
}

}  // namespace toolway::tools
