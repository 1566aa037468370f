#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "tools/schema/schema.h"

/// Conditions on a call's arguments. Pure.
namespace toolway::tools::matching {

/// What a call's arguments must be; all that is said must hold.
struct When {
  Json arguments{};  ///< these are among them, at any depth; null: not said
  std::vector<std::pair<std::string, Json>>
      pointers{};  ///< JSON Pointer (RFC 6901), and what is there
  std::shared_ptr<const schema::CompiledSchema> schema{};  ///< null: not said
};

/// Where the arguments differ from the condition; empty: they match. Objects match those with more
/// members, lists those of the same length, numbers by value.
std::vector<std::string> mismatches(const When& when, const Json& arguments);

/// Where two values differ, by JSON Pointer; empty: nowhere.
std::vector<std::string> differences(const Json& wanted, const Json& given);

}  // namespace toolway::tools::matching
