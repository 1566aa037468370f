#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/seal_keys.h"

/// What gateways hand out to get it back: others can neither read nor change it. AES-256-GCM (NIST
/// SP 800-38D) with a key for each purpose, under a random nonce; text of [A-Za-z0-9._-], whose
/// beginning is the id of the key. Thread-safe.
namespace toolway::extensions {

/// `content` for one purpose, until a moment. Two seals of the same content differ.
std::string seal(const SealKeys& keys, std::string_view purpose, std::string_view content,
                 WallTime expires);

/// What was sealed for this purpose, with any of the keys. Errors: kUnauthenticated, which says
/// whether it has expired or was never one of ours, and nothing of what is in it.
Result<std::string> open_sealed(const SealKeys& keys, std::string_view purpose,
                                std::string_view sealed, WallTime now);

}  // namespace toolway::extensions
