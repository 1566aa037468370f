#include "persistence/reaper/idle_sessions.h"

#include <algorithm>

#include "base/try.h"
#include "bus/answer.h"
#include "bus/key_value.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::persistence::reaper {

bool expired(const v1::SessionRecord& record, WallTime now, std::chrono::milliseconds idle) {
  const auto used = from_unix_us(std::max(record.active_at_us(), record.updated_at_us()));
  return record.state() == v1::SessionRecord::STATE_OPEN && used + idle < now;
}

Result<bool> close_if_expired(bus::Bus& bus, const v1::SessionRecord& mirrored, WallTime now,
                              std::chrono::milliseconds idle) {
  bus::KeyValue bucket(bus, std::string(proto::kSessionsBucket));
  const auto key =
      proto::session_bucket_key(mirrored.tenant_id(), mirrored.user_id(), mirrored.session_id());
  auto entry = bus::answer_of<bus::Entry>([&](auto handler) { bucket.get(key, handler); });
  // It left the bucket by its age (bus::kSessionsAge): closed, it returns, unless a gateway is
  // faster.
  if (!entry && entry.error().code == ErrorCode::kNotFound)
    entry = bus::Entry{key, proto::encode(mirrored), 0};
  RETURN_IF_ERROR(entry);
  ASSIGN_OR_RETURN(auto record, proto::decode_session(entry->value));
  if (record.session_key() != mirrored.session_key() || !expired(record, now, idle)) return false;
  record.set_state(v1::SessionRecord::STATE_CLOSED);
  record.set_closing(v1::SessionRecord::CLOSING_EXPIRED);
  record.set_closed_at_us(to_unix_us(now));
  record.set_updated_at_us(to_unix_us(now));
  auto written = bus::answer_of<std::uint64_t>(
      [&](auto handler) { bucket.put(key, proto::encode(record), entry->revision, handler); });
  if (!written && written.error().code == ErrorCode::kWrongLastSequence) return false;
  RETURN_IF_ERROR(written);
  return true;
}

Result<std::vector<v1::SessionRecord>> idle_sessions(ElectedConnection& connection, WallTime before,
                                                     std::size_t limit) {
  // OFFSET 0: one look per call, as in RecordedCalls::incomplete.
  ASSIGN_OR_RETURN(
      auto rows,
      connection.ask(
          "WITH t AS (SELECT 'epoch'::timestamptz + $1::bigint * interval '1 microsecond' AS at) "
          "SELECT s.record FROM sessions s, t WHERE s.state = 'open' "
          "AND greatest(s.active_at, s.updated_at) < t.at "
          "AND coalesce((SELECT f.completed_at FROM completions f WHERE f.session_key = s.session_key "
          "ORDER BY f.incarnation DESC, f.sequence DESC LIMIT 1) < t.at, true) "
          "AND coalesce((SELECT e.time FROM call_events e WHERE e.session_key = s.session_key "
          "ORDER BY e.incarnation DESC, e.sequence DESC LIMIT 1) < t.at, true) "
          "AND NOT EXISTS (SELECT FROM calls c WHERE c.session_key = s.session_key "
          "AND NOT EXISTS (SELECT FROM completions f WHERE f.call_id = c.call_id OFFSET 0) OFFSET 0) "
          "LIMIT $2::bigint",
          {to_unix_us(before), limit}));
  std::vector<v1::SessionRecord> records;
  for (const auto& row : rows) {
    ASSIGN_OR_RETURN(auto record, proto::decode_session(row.get<std::string>("record")));
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace toolway::persistence::reaper
