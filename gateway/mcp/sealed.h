#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "base/seal_keys.h"
#include "gateway/wire/caller.h"

/// What a client is handed to bring it back (extensions/seal.h), bound to its user.
namespace toolway::gateway::mcp {

/// `content` is an object.
std::string seal_for(const SealKeys& keys, std::string_view purpose, const wire::Caller& caller,
                     Json content, WallTime expires);

/// Nothing: it was not made here for this purpose and caller, or has expired.
std::optional<Json> open_for(const SealKeys& keys, std::string_view purpose,
                             const wire::Caller& caller, std::string_view sealed, WallTime now);

/// The whole text of a member; empty: there is none.
std::string text_at(const Json& object, const char* name);

}  // namespace toolway::gateway::mcp
