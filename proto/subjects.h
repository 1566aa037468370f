#pragma once

#include <cstddef>
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
inline constexpr std::string_view kAuditStream = "AUDIT";
inline constexpr std::string_view kSpecsStream = "KV_specs";
inline constexpr std::string_view kSessionsStream = "KV_sessions";
inline constexpr std::string_view kIdempotencyStream = "KV_idempotency";
inline constexpr std::string_view kToolsetsStream = "KV_toolsets";
inline constexpr std::string_view kSwitchesStream = "KV_switches";
inline constexpr std::string_view kPoliciesStream = "KV_policies";
inline constexpr std::string_view kLimitsStream = "KV_limits";
inline constexpr std::string_view kPermitsStream = "KV_permits";
inline constexpr std::string_view kApiKeysStream = "KV_api_keys";

/// The durable that takes the whole of a stream into Postgres.
inline constexpr std::string_view kCollectorDurable = "collector";

inline constexpr std::string_view kMessageIdHeader = "Nats-Msg-Id";
inline constexpr std::string_view kExpectedLastHeader = "Nats-Expected-Last-Subject-Sequence";
inline constexpr std::string_view kSequenceHeader = "Nats-Sequence";

/// Which of a pool's queues a call waits in. Workers take four of `normal` for one of `bulk`.
enum class Lane {
  kNormal,
  kBulk,  ///< for the calls of a session or user with more than its share waiting
};
inline constexpr std::size_t kLanes = 2;
std::string_view lane_name(Lane lane);

/// Which partition of a pool gets a session's calls; `partitions` is a power of two.
unsigned partition_of(const SessionKey& session, unsigned partitions);

/// `call.<pool>.<lane>.<part>.<session>`
std::string call_subject(std::string_view pool, Lane lane, unsigned partition,
                         const SessionKey& session);
/// `call.held.normal.0.<session>`: where a call waits for approval.
std::string held_subject(const SessionKey& session);

/// `call.*.*.*.<session>`: a session's calls, wherever they wait.
std::string session_calls_filter(const SessionKey& session);
/// `call.<pool>.<lane>.<part>.>`: what one durable takes.
std::string call_filter(std::string_view pool, Lane lane, unsigned partition);
/// `<pool>-<lane>-<part>`: the durable's name.
std::string call_durable(std::string_view pool, Lane lane, unsigned partition);
/// Back from a durable's name; nothing when it is not a pool's.
struct PoolDurable {
  std::string pool;
  Lane lane = Lane::kNormal;
  unsigned partition = 0;
};
std::optional<PoolDurable> parse_call_durable(std::string_view name);
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

/// `audit.<process>`: where decisions that are not about a call are told, by the kind of the
/// process.
std::string audit_subject(std::string_view process);

/// `ctl.<worker_id>`: asks a worker to look at a call.
std::string control_subject(std::string_view worker_id);
/// `worker.<pool>.<worker_id>`: where a worker announces itself.
std::string worker_subject(std::string_view pool, std::string_view worker_id);
inline constexpr std::string_view kWorkersFilter = "worker.>";
/// `shares.<gateway>`: where a gateway tells the others which of the calls that it accepted wait.
std::string shares_subject(std::string_view gateway);
inline constexpr std::string_view kSharesFilter = "shares.*";
/// Asks collectors for what has left the streams.
inline constexpr std::string_view kLookupSubject = "lookup";
/// One token of a subject: `[A-Za-z0-9_-]{1,64}`.
bool valid_worker_id(std::string_view text);

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
/// The tools that workers have found on MCP servers, by server: where gateways find them.
inline constexpr std::string_view kToolsetsBucket = "toolsets";
/// Which tools and namespaces are switched off, by their names.
inline constexpr std::string_view kSwitchesBucket = "switches";
/// The policy of the chain of extensions, and the versions before it.
inline constexpr std::string_view kPoliciesBucket = "policies";
/// The buckets of tokens from which gateways take what the policy's limits let through.
inline constexpr std::string_view kLimitsBucket = "limits";
/// Which calls run under the policy's limits on running calls: an entry for each of a limit's
/// permits, as its worker renews it.
inline constexpr std::string_view kPermitsBucket = "permits";
/// The digests of API keys, by the keys' ids: an ApiKeyRecord each.
inline constexpr std::string_view kApiKeysBucket = "api_keys";

/// A spec's key in the bucket `specs`: the hex digits of `sha256:<hex>`.
/// Nothing when it is not of that form.
std::optional<std::string> spec_bucket_key(std::string_view digest);

/// A session's key in the bucket: 128 bits of SHA-256 over tenant, user and
/// session_id, each preceded by its length, as 32 hex digits.
std::string session_bucket_key(std::string_view tenant, std::string_view user,
                               std::string_view session_id);

/// The key of an idempotency key in its bucket: the same over tenant, user and the key.
std::string idempotency_bucket_key(std::string_view tenant, std::string_view user,
                                   std::string_view idempotency_key);

}  // namespace toolway::proto
