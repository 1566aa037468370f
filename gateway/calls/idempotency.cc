#include "gateway/calls/idempotency.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids.h"
#include "base/sha256.h"
#include "base/try.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/publication.h"

namespace toolway::gateway::calls {

using v1::IdempotencyRecord;

wire::HttpResult<std::optional<std::string>> parse_idempotency_key(
    std::optional<std::string_view> header) {
  if (!header) return std::optional<std::string>();
  if (!valid_opaque(*header)) {
    return wire::refuse(
        ErrorCode::kInvalidIdentifier,
        "Idempotency-Key must be 1 to 255 bytes of UTF-8 without control characters");
  }
  return std::optional<std::string>(std::string(*header));
}

std::string call_key(std::string_view key, std::size_t index) {
  return fmt::format("{}#{}", key, index);
}

std::string payload_digest(std::string_view session_id, const Json& body) {
  Sha256 digest;
  digest.add(session_id);
  digest.add("\n");  // session ids have none
  digest.add(to_text(body));
  return digest.hex();
}

Result<KeyEntry> key_entry(Result<bus::Entry> found) {
  if (!found && found.error().code == ErrorCode::kNotFound) return KeyEntry{};
  RETURN_IF_ERROR(found);
  // An empty value is how a bucket says that a key was deleted.
  if (found->value.empty()) return KeyEntry{std::nullopt, found->revision};
  IdempotencyRecord record;
  if (!record.ParseFromString(found->value)) {
    return fail(ErrorCode::kInternal, "the record of this Idempotency-Key cannot be read");
  }
  return KeyEntry{std::move(record), found->revision};
}

std::chrono::milliseconds key_patience(std::chrono::milliseconds accept_deadline) {
  return accept_deadline + std::chrono::seconds(1);
}

KeyStep next_key_step(const KeyEntry& entry, std::string_view payload_sha256, WallTime now,
                      std::chrono::milliseconds patience) {
  if (!entry.record || entry.record->state() == IdempotencyRecord::STATE_FREE)
    return KeyStep::kClaim;
  if (entry.record->payload_sha256().empty()) return KeyStep::kGivenUp;
  if (entry.record->payload_sha256() != payload_sha256) return KeyStep::kReused;
  if (entry.record->state() == IdempotencyRecord::STATE_ACCEPTED) return KeyStep::kReplay;
  const auto age = now - from_unix_us(entry.record->written_at_us());
  return age > patience ? KeyStep::kPublishAgain : KeyStep::kInFlight;
}

v1::CallRequest published_again(v1::CallRequest noted) {
  noted.set_publication(proto::kRepeatedRequest);
  return noted;
}

IdempotencyRecord key_record(IdempotencyRecord::State state, std::string_view payload_sha256,
                             const v1::CallRequest& call, WallTime now) {
  IdempotencyRecord record;
  record.set_state(state);
  record.set_payload_sha256(std::string(payload_sha256));
  record.set_call(proto::encode(call));
  record.set_written_at_us(to_unix_us(now));
  return record;
}

IdempotencyRecord given_up_record(WallTime now) {
  IdempotencyRecord record;
  record.set_state(IdempotencyRecord::STATE_ACCEPTED);
  record.set_written_at_us(to_unix_us(now));
  return record;
}

std::optional<std::chrono::milliseconds> read_key_again(ErrorCode code, int tries) {
  constexpr std::chrono::milliseconds kRetryDelay{20};
  if (code != ErrorCode::kWrongLastSequence && code != ErrorCode::kTimeout) return std::nullopt;
  return tries > 1 ? kRetryDelay : std::chrono::milliseconds(0);
}

bool is_own_note(const KeyEntry& found, const IdempotencyRecord& written) {
  return found.record && found.record->state() == IdempotencyRecord::STATE_IN_FLIGHT &&
         found.record->call() == written.call() &&
         found.record->written_at_us() == written.written_at_us();
}

Settled settled_by(const v1::CallRequest& call, const Result<v1::LookupAnswer>& recorded) {
  if (recorded) return recorded->known() ? Settled::kKnown : Settled::kPublish;
  return proto::waits_for_approval(call) ? Settled::kNotSure : Settled::kPublish;
}

std::optional<IdempotencyRecord::State> key_state(KeyStep step, Published published) {
  if (published == Published::kAccepted) return IdempotencyRecord::STATE_ACCEPTED;
  if (published == Published::kUnknown || step == KeyStep::kPublishAgain) return std::nullopt;
  return IdempotencyRecord::STATE_FREE;
}

wire::Problem key_problem(KeyStep step, const KeyEntry& entry, WallTime now,
                          std::chrono::milliseconds patience) {
  if (step == KeyStep::kReused) {
    return wire::Problem{
        .error = Error{ErrorCode::kIdempotencyKeyReused,
                       "this Idempotency-Key was used for another session or body: use a "
                       "new key for a new request"}};
  }
  if (step == KeyStep::kGivenUp) {
    return wire::Problem{
        .error = Error{ErrorCode::kIdempotencyKeyReused,
                       "the calls of this Idempotency-Key were given up before they were made: "
                       "use a new key for a new request"}};
  }
  const auto over = from_unix_us(entry.record->written_at_us()) + patience;
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(over - now);
  return wire::Problem{
      .error = Error{ErrorCode::kRequestInFlight,
                     "the first request with this Idempotency-Key has not been answered yet: "
                     "send it again later",
                     std::clamp(rest, std::chrono::milliseconds(1), patience)}};
}

}  // namespace toolway::gateway::calls
