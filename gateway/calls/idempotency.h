#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "bus/key_value.h"
#include "gateway/wire/problem.h"
#include "proto/toolway/v1/call.pb.h"
#include "proto/toolway/v1/control.pb.h"

/// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): what a repeated request gets,
/// decided from the record that the first one left in the bucket `idempotency`.
namespace toolway::gateway::calls {

/// The header: 1 to 255 bytes of UTF-8 without control characters. Errors: invalid_identifier.
wire::HttpResult<std::optional<std::string>> parse_idempotency_key(
    std::optional<std::string_view> header);

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

/// What the bucket answered. Errors: the bus's but kNotFound, and kInternal: it cannot be read.
Result<KeyEntry> key_entry(Result<bus::Entry> found);

enum class KeyStep {
  kClaim,         ///< the key is free: note the call, then publish it
  kReplay,        ///< its call was accepted: answer with that one
  kPublishAgain,  ///< it is not known how publishing the noted call went: publish it again, unless
                  ///< the call is known
  kInFlight,      ///< the first request is in progress: 409
  kReused,        ///< it was used for another request: 422
  kGivenUp,       ///< its call was not made and never will be: 422
};

/// How long a request may take to say how its publication went: by then a gateway that is alive has
/// noted it.
std::chrono::milliseconds key_patience(std::chrono::milliseconds accept_deadline);

/// `patience`: see `key_patience`.
KeyStep next_key_step(const KeyEntry& entry, std::string_view payload_sha256, WallTime now,
                      std::chrono::milliseconds patience);

/// The call of kPublishAgain as it is published: marked as the repetition of a request, so that no
/// worker takes it for new, however long ago the first publication was.
v1::CallRequest published_again(v1::CallRequest noted);

/// Whether the call of kPublishAgain was accepted before.
enum class Settled {
  kKnown,    ///< it was: this request is a replay
  kPublish,  ///< it was not; or no one answers, and a worker asks again before it runs the call
  kNotSure,  ///< no one answers, and no worker asks, since the call waits for approval
};
/// By what the collectors say of a call without events; an error: they do not answer. Its events
/// may have left their stream, and of a call that was decided a first event would be stored again.
Settled settled_by(const v1::CallRequest& call, const Result<v1::LookupAnswer>& recorded);

/// A record of `call`.
v1::IdempotencyRecord key_record(v1::IdempotencyRecord::State state,
                                 std::string_view payload_sha256, const v1::CallRequest& call,
                                 WallTime now);

/// The record of a key whose call was not made and never will be. It has no digest, so gateways
/// that do not know of such records refuse every request with the key, too.
v1::IdempotencyRecord given_up_record(WallTime now);

/// So often a request notes its call under its key: each lost race means that another request has
/// written.
inline constexpr int kMaxKeyTries = 5;

/// After a note that was not stored for the `tries`th time, because of `code`: how long to wait
/// until the record is read again. Nothing: it would not help.
std::optional<std::chrono::milliseconds> read_key_again(ErrorCode code, int tries);

/// Whether the note that was found is the one that was written: the answer to the write was lost.
bool is_own_note(const KeyEntry& found, const v1::IdempotencyRecord& written);

/// How a publication went.
enum class Published { kAccepted, kRefused, kUnknown };

/// What is noted about a call once it was published after `step`. Nothing: the fate of a
/// publication without an answer is unknown, be it this one or that of the request that noted it;
/// the next request with the key settles it.
std::optional<v1::IdempotencyRecord::State> key_state(KeyStep step, Published published);

/// The problem of kInFlight, kReused and kGivenUp.
wire::Problem key_problem(KeyStep step, const KeyEntry& entry, WallTime now,
                          std::chrono::milliseconds patience);

}  // namespace toolway::gateway::calls
