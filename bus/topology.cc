#include "bus/topology.h"

#include <array>
#include <utility>

#include "bus/server_time.h"
#include "proto/mcp_buckets.h"
#include "proto/seal_bucket.h"
#include "proto/subjects.h"

namespace toolway::bus {
namespace {

/// Collectors keep thousands of messages requested; pools stay at 1,000, since more pending
/// acks starve the server's scan for expired ones.
constexpr std::size_t kCollectorAckPending = 20000;
constexpr std::size_t kPoolAckPending = 1000;
/// Chunks are large: what all collectors hold of them at once is 32 MiB.
constexpr std::size_t kBlobsAckPending = 128;

constexpr std::int64_t kMib = 1LL << 20;
/// Of buckets, which refuse new entries when they are full. Session records are about 300 bytes, 17
/// KB at most.
constexpr std::int64_t kSessionsBytes = 512 * kMib;
constexpr std::int64_t kSpecsBytes = 256 * kMib;
constexpr std::int64_t kToolsetsBytes = 64 * kMib;
/// 200 bytes each: for 80,000 calls that run at once.
constexpr std::int64_t kPermitsBytes = 16 * kMib;
constexpr std::int64_t kLimitsBytes = 64 * kMib;
/// A record of a key is 200 to 400 bytes: for 200,000 of them.
constexpr std::int64_t kApiKeysBytes = 96 * kMib;
/// Entries are 250 bytes: 60,000 sessions that were ended, 250,000 requests. An id of a session is
/// good for as long as what is known of it is kept.
constexpr std::chrono::hours kMcpAge{24 * 7};
constexpr std::int64_t kMcpBytes = 16 * kMib;
constexpr std::int64_t kMcpRequestsBytes = 64 * kMib;
constexpr std::int64_t kSmallBucketBytes = 16 * kMib;
constexpr std::int64_t kClocksBytes = 15 * kMib;
/// One entry of 100 bytes.
constexpr std::int64_t kSealsBytes = kMib;
/// A record is 200 to 1,000 bytes.
constexpr std::int64_t kAuditBytes = 64 * kMib;
/// Of what is seldom written.
constexpr std::size_t kRareAckPending = 1000;

DurableConfig collector(std::size_t max_ack_pending = kCollectorAckPending) {
  return {.name = std::string(proto::kCollectorDurable),
          .filter = {},
          .max_ack_pending = max_ack_pending};
}

StreamConfig bucket(std::string_view stream, std::string_view name, unsigned replicas,
                    std::int64_t max_bytes = kSmallBucketBytes) {
  return {.name = std::string(stream),
          .subjects = proto::bucket_subject(name, ">"),
          .republish_from = proto::bucket_subject(name, ">"),
          .republish_to = proto::bucket_live_subject(name, ">"),
          .bucket = true,
          .max_bytes = max_bytes,
          .replicas = replicas};
}

StreamConfig forgotten_after(std::chrono::seconds max_age, StreamConfig made) {
  made.max_age = max_age;
  return made;
}

/// Read when it is needed, and not followed. When it is full, what was written first leaves.
StreamConfig unfollowed(std::string_view stream, std::string_view name, unsigned replicas,
                        std::int64_t max_bytes) {
  StreamConfig made = bucket(stream, name, replicas, max_bytes);
  made.republish_from.clear();
  made.republish_to.clear();
  made.drops_oldest = true;
  return made;
}

/// Written only for the time at which it is stored; a worker that fills it must harm no process.
StreamConfig clocks(unsigned replicas) {
  return forgotten_after(std::chrono::hours(1),
                         unfollowed(kClocksStream, kClocksBucket, replicas, kClocksBytes));
}

/// Only collectors may write it, and nothing of it goes by itself.
StreamConfig seals(unsigned replicas) {
  auto made = unfollowed(proto::kSealsStream, proto::kSealsBucket, replicas, kSealsBytes);
  made.drops_oldest = false;
  return made;
}

/// A bucket of tokens that was not taken from for an hour is full, as one that was never used.
StreamConfig limits(unsigned replicas) {
  return forgotten_after(
      std::chrono::hours(1),
      unfollowed(proto::kLimitsStream, proto::kLimitsBucket, replicas, kLimitsBytes));
}

StreamConfig mcp_sessions(unsigned replicas) {
  return forgotten_after(kMcpAge,
                         unfollowed(proto::kMcpStream, proto::kMcpBucket, replicas, kMcpBytes));
}

StreamConfig mcp_requests(unsigned replicas) {
  return forgotten_after(std::chrono::hours(24),
                         unfollowed(proto::kMcpRequestsStream, proto::kMcpRequestsBucket, replicas,
                                    kMcpRequestsBytes));
}

StreamConfig calls_stream(const Layout& layout) {
  StreamConfig calls{.name = std::string(proto::kCallsStream),
                     .subjects = "call.>",
                     .max_age = layout.max_age,
                     .max_bytes = layout.max_bytes,
                     .replicas = layout.replicas,
                     .durables = {collector()}};
  for (const PoolLayout& pool : layout.pools) {
    for (unsigned part = 0; part < pool.partitions; ++part) {
      for (const auto lane : {proto::Lane::kNormal, proto::Lane::kBulk}) {
        calls.durables.push_back({.name = proto::call_durable(pool.name, lane, part),
                                  .filter = proto::call_filter(pool.name, lane, part),
                                  .max_ack_pending = kPoolAckPending,
                                  .ack_wait = kCallAckWait});
      }
    }
  }
  return calls;
}

}  // namespace

std::vector<StreamConfig> topology(const Layout& layout) {
  const StreamConfig calls = calls_stream(layout);
  StreamConfig events{.name = std::string(proto::kEventsStream),
                      .subjects = "event.>",
                      .republish_from = "event.>",
                      .republish_to = "live.>",
                      .max_age = layout.max_age,
                      .max_bytes = layout.max_bytes,
                      .replicas = layout.replicas,
                      .durables = {collector()}};
  StreamConfig blobs{.name = std::string(proto::kBlobsStream),
                     .subjects = "blob.>",
                     .max_age = layout.max_age,
                     .max_bytes = layout.max_bytes,
                     .replicas = layout.replicas,
                     .durables = {collector(kBlobsAckPending)}};
  // What operators decide and gateways refuse: little, and merged.
  StreamConfig audit{.name = std::string(proto::kAuditStream),
                     .subjects = "audit.>",
                     .max_age = layout.max_age,
                     .max_bytes = kAuditBytes,
                     .replicas = layout.replicas,
                     .durables = {collector(kRareAckPending)}};
  // An open session is written again in good time while a client uses it. What leaves is in
  // Postgres, unless no collector ran for as long.
  auto sessions = forgotten_after(
      kSessionsAge,
      bucket(proto::kSessionsStream, proto::kSessionsBucket, layout.replicas, kSessionsBytes));
  sessions.durables = {collector()};
  // A write for each key and hour in which it is used.
  auto api_keys =
      bucket(proto::kApiKeysStream, proto::kApiKeysBucket, layout.replicas, kApiKeysBytes);
  api_keys.durables = {collector(kRareAckPending)};
  // A record holds its call, so this grows with what CALLS keeps.
  auto idempotency = forgotten_after(std::chrono::hours(24),
                                     bucket(proto::kIdempotencyStream, proto::kIdempotencyBucket,
                                            layout.replicas, 2 * layout.max_bytes));
  // Twice as long as a call may wait: its gateway writes the spec again in good time.
  auto specs = forgotten_after(2 * layout.max_age, bucket(proto::kSpecsStream, proto::kSpecsBucket,
                                                          layout.replicas, kSpecsBytes));
  // Workers write theirs again every day.
  auto toolsets = forgotten_after(
      kToolsetsAge,
      bucket(proto::kToolsetsStream, proto::kToolsetsBucket, layout.replicas, kToolsetsBytes));
  return {calls, events, blobs, audit, sessions, idempotency, specs, toolsets,
          bucket(proto::kSwitchesStream, proto::kSwitchesBucket, layout.replicas),
          bucket(proto::kPoliciesStream, proto::kPoliciesBucket, layout.replicas),
          limits(layout.replicas),
          // Workers renew theirs every few seconds; what is left here belongs to no call.
          forgotten_after(kPermitsAge, bucket(proto::kPermitsStream, proto::kPermitsBucket,
                                              layout.replicas, kPermitsBytes)),
          api_keys, mcp_sessions(layout.replicas), mcp_requests(layout.replicas),
          // In this order: an older deployment gets room for the second from the first.
          clocks(layout.replicas), seals(layout.replicas)};
}

std::string_view stream_of(std::string_view subject) {
  if (subject.starts_with("event.")) return proto::kEventsStream;
  if (subject.starts_with("call.")) return proto::kCallsStream;
  if (subject.starts_with("blob.")) return proto::kBlobsStream;
  if (subject.starts_with("audit.")) return proto::kAuditStream;
  constexpr std::string_view kBucket = "$KV.";
  if (!subject.starts_with(kBucket)) return {};
  const std::string_view key = subject.substr(kBucket.size());
  const std::string_view bucket = key.substr(0, key.find('.'));
  constexpr std::array kBuckets{std::pair{proto::kSessionsBucket, proto::kSessionsStream},
                                std::pair{proto::kIdempotencyBucket, proto::kIdempotencyStream},
                                std::pair{proto::kSpecsBucket, proto::kSpecsStream},
                                std::pair{proto::kToolsetsBucket, proto::kToolsetsStream},
                                std::pair{proto::kSwitchesBucket, proto::kSwitchesStream},
                                std::pair{proto::kPoliciesBucket, proto::kPoliciesStream},
                                std::pair{proto::kLimitsBucket, proto::kLimitsStream},
                                std::pair{proto::kPermitsBucket, proto::kPermitsStream},
                                std::pair{proto::kMcpBucket, proto::kMcpStream},
                                std::pair{proto::kMcpRequestsBucket, proto::kMcpRequestsStream},
                                std::pair{proto::kApiKeysBucket, proto::kApiKeysStream},
                                std::pair{proto::kSealsBucket, proto::kSealsStream},
                                std::pair{kClocksBucket, kClocksStream}};
  for (const auto& [name, stream] : kBuckets) {
    if (name == bucket) return stream;
  }
  return {};
}

}  // namespace toolway::bus
