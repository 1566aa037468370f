#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

/// Every subject, stream, durable and header name, in one place. Only names
/// made by the server enter a subject (a space or CRLF there would be protocol
/// injection), so all parameters are types that cannot hold anything else, or
/// names checked by `valid_name`.
namespace toolway::proto {

inline constexpr std::string_view kCallsStream = "CALLS";
inline constexpr std::string_view kEventsStream = "EVENTS";
inline constexpr std::string_view kBlobsStream = "BLOBS";
inline constexpr std::string_view kSpecsStream = "KV_specs";
inline constexpr std::string_view kSessionsStream = "KV_sessions";
inline constexpr std::string_view kIdempotencyStream = "KV_idempotency";

/// The durable that takes the whole of a stream into Postgres.
inline constexpr std::string_view kCollectorDurable = "collector";

inline constexpr std::string_view kMessageIdHeader = "Nats-Msg-Id";
inline constexpr std::string_view kExpectedLastHeader = "Nats-Expected-Last-Subject-Sequence";
inline constexpr std::string_view kSequenceHeader = "Nats-Sequence";

/// `normal` or `bulk`: which of a pool's queues a call waits in. All calls are `normal` so far.
enum class Lane { kNormal };
std::string_view lane_name(Lane lane);

/// Which partition of a pool a session's calls go to; `partitions` is a power of two.
unsigned partition_of(const SessionKey& session, unsigned partitions);

/// `call.<pool>.<lane>.<part>.<session>`
std::string call_subject(std::string_view pool, Lane lane, unsigned partition,
                         const SessionKey& session);
/// `call.<pool>.<lane>.<part>.>`: what one durable takes.
std::string call_filter(std::string_view pool, Lane lane, unsigned partition);
/// `<pool>-<lane>-<part>`: the durable's name.
std::string call_durable(std::string_view pool, Lane lane, unsigned partition);
/// `<call_id>.<n>`: the publication id of a call; n counts its publications.
std::string call_message_id(const CallId& call, unsigned publication);

/// `event.<shard>.<session>.<call>`
std::string event_subject(const SessionKey& session, const CallId& call);
/// `event.<shard>.<session>.>`
std::string session_events_filter(const SessionKey& session);
/// `blob.<shard>.<call>.<n>`: chunk n of a large result.
std::string blob_subject(const SessionKey& session, const CallId& call, unsigned chunk);
/// The republished events of all shards.
inline constexpr std::string_view kLiveFilter = "live.>";
/// `live.<shard>.>`: the republished events of a shard, `shard` being three hex digits.
std::string live_filter(std::string_view shard);

/// The session and call of an `event.…` or `live.…` subject.
struct EventSubject {
  SessionKey session;
  CallId call;
};
std::optional<EventSubject> parse_event_subject(std::string_view subject);

/// `$KV.<bucket>.<key>`: where a bucket's entry is stored.
std::string bucket_subject(std::string_view bucket, std::string_view key);
/// `bucket.<bucket>.>`: where the server republishes what a bucket has stored.
std::string bucket_live_filter(std::string_view bucket);
/// `bucket.<bucket>.<key>`
std::string bucket_live_subject(std::string_view bucket, std::string_view key);

inline constexpr std::string_view kSessionsBucket = "sessions";
/// Every spec that admitted a call, by digest: where workers find it.
inline constexpr std::string_view kSpecsBucket = "specs";
inline constexpr std::string_view kIdempotencyBucket = "idempotency";

/// A spec's key in the bucket `specs`: the hex digits of `sha256:<hex>`.
/// Nothing when it is not of that form.
std::optional<std::string> spec_bucket_key(std::string_view digest);

/// A session's key in the bucket: 128 bits of SHA-256 over tenant, user and
/// session_id, each preceded by its length, as 32 hex digits.
std::string session_bucket_key(std::string_view tenant, std::string_view user,
                               std::string_view session_id);

}  // namespace toolway::proto
