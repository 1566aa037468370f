#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "gateway/wire/problem.h"
#include "proto/toolway/v1/call.pb.h"
#include "proto/toolway/v1/control.pb.h"

/// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): what a repeated request gets,
/// decided from the record that the first one left in the bucket `idempotency`.
namespace toolway::gateway {

/// The header: 1 to 255 bytes of UTF-8 without control characters. Errors: invalid_identifier.
Answer<std::optional<std::string>> parse_idempotency_key(std::optional<std::string_view> header);

/// The key under which the record of a request's call number `index` (from 0) is kept.
std::string call_key(std::string_view key, std::size_t index);

/// What makes two requests the same: 64 hex digits over the session's id and the body, whose
/// members may come in any order.
std::string payload_digest(std::string_view session_id, const Json& body);

/// A record and the revision it was read at; nothing and 0: there is none.
struct KeyEntry {
  std::optional<v1::IdempotencyRecord> record;
  std::uint64_t revision = 0;
};

enum class KeyStep {
  kClaim,         ///< the key is free: note the call, then publish it
  kReplay,        ///< its call was accepted: answer with that one
  kPublishAgain,  ///< it is not known how publishing the noted call went: publish it again, unless the call is known
  kInFlight,      ///< the first request is in progress: 409
  kReused,        ///< it was used for another request: 422
};

/// `patience`: how long a request may take to say how its publication went.
KeyStep next_key_step(const KeyEntry& entry, std::string_view payload_sha256, WallTime now,
                      std::chrono::milliseconds patience);

/// The call of kPublishAgain as it is published: marked as the repetition of a request, so that no worker takes
/// it for new, however long ago the first publication was.
v1::CallRequest published_again(v1::CallRequest noted);

/// A record of `call`.
v1::IdempotencyRecord key_record(v1::IdempotencyRecord::State state, std::string_view payload_sha256,
                                 const v1::CallRequest& call, WallTime now);

/// The problem of kInFlight and kReused.
Problem key_problem(KeyStep step, const KeyEntry& entry, WallTime now, std::chrono::milliseconds patience);

}  // namespace toolway::gateway
