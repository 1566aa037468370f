#include "proto/subjects.h"

#include <fmt/compile.h>

#include <vector>

#include "base/held_pool.h"
#include "base/sha256.h"
#include "base/text.h"

namespace toolway::proto {
namespace {

void add_field(std::string& message, std::string_view field) {
  const auto size = static_cast<std::uint32_t>(field.size());
  for (int shift = 24; shift >= 0; shift -= 8) message.push_back(static_cast<char>(size >> shift));
  message.append(field);
}

/// 128 bits of SHA-256 over fields, each preceded by its length.
std::string hash_of(std::initializer_list<std::string_view> fields) {
  std::string message;
  for (const auto field : fields) add_field(message, field);
  Sha256 hash;
  hash.add(message);
  return hash.hex(16);
}

}  // namespace

std::string_view lane_name(Lane lane) {
  switch (lane) {
    case Lane::kNormal: return "normal";
    case Lane::kBulk: return "bulk";
  }
  return "normal";
}

unsigned partition_of(const SessionKey& session, unsigned partitions) {
  return session.shard_number() % partitions;
}

std::string call_subject(std::string_view pool, Lane lane, unsigned partition,
                         const SessionKey& session) {
  return fmt::format(FMT_COMPILE("call.{}.{}.{}.{}"), pool, lane_name(lane), partition,
                     session.text());
}

std::string held_subject(const SessionKey& session) {
  return call_subject(kHeldPool, Lane::kNormal, 0, session);
}

std::string call_filter(std::string_view pool, Lane lane, unsigned partition) {
  return fmt::format("call.{}.{}.{}.>", pool, lane_name(lane), partition);
}

std::string call_durable(std::string_view pool, Lane lane, unsigned partition) {
  return fmt::format(FMT_COMPILE("{}-{}-{}"), pool, lane_name(lane), partition);
}

std::optional<PoolDurable> parse_call_durable(std::string_view name) {
  // From the end: a pool's name may hold dashes.
  const auto last = name.rfind('-');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  const auto middle = name.rfind('-', last - 1);
  if (middle == std::string_view::npos || middle == 0) return std::nullopt;
  PoolDurable found{.pool = std::string(name.substr(0, middle))};
  const auto lane = name.substr(middle + 1, last - middle - 1);
  if (lane == lane_name(Lane::kBulk)) {
    found.lane = Lane::kBulk;
  } else if (lane != lane_name(Lane::kNormal)) {
    return std::nullopt;
  }
  if (!parse_number(name.substr(last + 1), found.partition)) return std::nullopt;
  return found;
}

std::string call_message_id(const CallId& call, unsigned publication) {
  return fmt::format(FMT_COMPILE("{}.{}"), call.text(), publication);
}

std::string event_subject(const SessionKey& session, const CallId& call) {
  return fmt::format(FMT_COMPILE("event.{}.{}.{}"), session.shard(), session.text(), call.text());
}

std::string session_calls_filter(const SessionKey& session) {
  return fmt::format("call.*.*.*.{}", session.text());
}

std::string session_events_filter(const SessionKey& session) {
  return fmt::format("event.{}.{}.>", session.shard(), session.text());
}

std::string blob_subject(const SessionKey& session, const CallId& call, unsigned chunk) {
  return fmt::format("blob.{}.{}.{}", session.shard(), call.text(), chunk);
}

std::string live_filter(std::string_view shard) { return fmt::format("live.{}.>", shard); }

std::optional<EventSubject> parse_event_subject(std::string_view subject) {
  const auto first = subject.find('.');
  if (first == std::string_view::npos) return std::nullopt;
  // <shard:3>.<session:32>.<call:36>
  const auto rest = subject.substr(first + 1);
  if (rest.size() != 3 + 1 + SessionKey::kLength + 1 + CallId::kLength) return std::nullopt;
  auto session = SessionKey::parse(rest.substr(4, SessionKey::kLength));
  auto call = CallId::parse(rest.substr(4 + SessionKey::kLength + 1));
  if (!session || !call) return std::nullopt;
  return EventSubject{std::move(*session), std::move(*call)};
}

std::string audit_subject(std::string_view process) { return fmt::format("audit.{}", process); }

std::string control_subject(std::string_view worker_id) { return fmt::format("ctl.{}", worker_id); }

std::string shares_subject(std::string_view gateway) { return "shares." + std::string(gateway); }

std::string worker_subject(std::string_view pool, std::string_view worker_id) {
  return fmt::format("worker.{}.{}", pool, worker_id);
}

bool valid_worker_id(std::string_view text) { return valid_name(text); }

std::string bucket_subject(std::string_view bucket, std::string_view key) {
  return fmt::format("$KV.{}.{}", bucket, key);
}

std::string bucket_live_filter(std::string_view bucket) {
  return fmt::format("bucket.{}.>", bucket);
}

std::string bucket_live_subject(std::string_view bucket, std::string_view key) {
  return fmt::format("bucket.{}.{}", bucket, key);
}

std::optional<std::string> spec_bucket_key(std::string_view digest) {
  constexpr std::string_view kPrefix = "sha256:";
  constexpr std::size_t kHexDigits = 64;
  if (!digest.starts_with(kPrefix) || digest.size() != kPrefix.size() + kHexDigits)
    return std::nullopt;
  const auto key = digest.substr(kPrefix.size());
  if (key.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  return std::string(key);
}

std::string session_bucket_key(std::string_view tenant, std::string_view user,
                               std::string_view session_id) {
  return hash_of({tenant, user, session_id});
}

std::string idempotency_bucket_key(std::string_view tenant, std::string_view user,
                                   std::string_view idempotency_key) {
  return hash_of({tenant, user, idempotency_key});
}

}  // namespace toolway::proto
