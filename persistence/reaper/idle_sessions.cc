#include "persistence/reaper/idle_sessions.h"

#include <algorithm>

#include "base/try.h"
#include "bus/answer.h"
#include "bus/key_value.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::persistence {

bool expired(const v1::SessionRecord& record, WallTime now, std::chrono::milliseconds idle) {
  const auto used = from_unix_us(std::max(record.active_at_us(), record.updated_at_us()));
  return record.state() == v1::SessionRecord::STATE_OPEN && used + idle < now;
}

Result<bool> close_if_expired(bus::Bus& bus, const v1::SessionRecord& mirrored, WallTime now,
                              std::chrono::milliseconds idle) {
  bus::KeyValue bucket(bus, std::string(proto::kSessionsBucket));
  const auto key =
      proto::session_bucket_key(mirrored.tenant_id(), mirrored.user_id(), mirrored.session_id());
  ASSIGN_OR_RETURN(auto entry,
                   bus::answer_of<bus::Entry>([&](auto handler) { bucket.get(key, handler); }));
  ASSIGN_OR_RETURN(auto record, proto::decode_session(entry.value));
  if (record.session_key() != mirrored.session_key() || !expired(record, now, idle)) return false;
  record.set_state(v1::SessionRecord::STATE_CLOSED);
  record.set_closing(v1::SessionRecord::CLOSING_EXPIRED);
  record.set_closed_at_us(to_unix_us(now));
  record.set_updated_at_us(to_unix_us(now));
  auto written = bus::answer_of<std::uint64_t>(
      [&](auto handler) { bucket.put(key, proto::encode(record), entry.revision, handler); });
  if (!written && written.error().code == ErrorCode::kWrongLastSequence) return false;
  RETURN_IF_ERROR(written);
  return true;
}

}  // namespace toolway::persistence
