#include "gateway/sessions/counted_sessions.h"

#include "bus/key_value.h"
#include "gateway/sessions/bucket_reading.h"
#include "gateway/wire/caller.h"
#include "proto/codec.h"

namespace toolway::gateway::sessions {
namespace {

wire::HttpResult<void> answer_of(UserSessions::Admission admission, const SessionCaps& caps) {
  auto error = refuse_session(admission, caps);
  if (error) return wire::refuse(std::move(*error));
  return {};
}

}  // namespace

wire::HttpResult<void> CountedSessions::admit_new(const std::string& user,
                                                  std::size_t bytes) const {
  return answer_of(users_.judge_new(user, bytes, clock_.monotonic()), users_.caps());
}

wire::HttpResult<void> CountedSessions::admit_restored(const std::string& user) const {
  return answer_of(users_.judge_restored(user), users_.caps());
}

wire::HttpResult<void> CountedSessions::admit_entry(const std::string& user,
                                                    std::uint64_t revision) {
  if (revision != 0) return {};
  const auto now = clock_.monotonic();
  auto admitted = answer_of(users_.judge_entry(user, now), users_.caps());
  if (admitted) users_.entered(user, now);
  return admitted;
}

void CountedSessions::count(const Session& session, bool created) {
  const auto user = wire::owner_name(session.record.tenant_id(), session.record.user_id());
  if (!is_open(session)) return users_.closed(user, session.key);
  users_.opened(user, session.key, bus::entry_bytes(session.record.ByteSizeLong()), created,
                clock_.monotonic());
}

void CountedSessions::start_recount(Newer newer) {
  users_.begin_recount();
  asio::co_spawn(inbox_->executor(), recount(std::move(newer), ++turn_), asio::detached);
}

loop::Task<void> CountedSessions::recount(Newer newer, std::uint64_t turn) {
  SeenEntry seen = [this, turn, &newer](const bus::StoredMessage& stored) {
    if (turn != turn_) return false;  // the next one reads the bucket from its beginning
    auto record = proto::decode_session(stored.payload);
    if (!record) return true;  // a name, or not a session
    const auto known = newer(*record, stored.sequence);
    count(known ? *known : *session_of(std::move(*record), stored.sequence), false);
    return true;
  };
  if (co_await read_bucket(bus_, std::move(seen)) && turn == turn_) users_.end_recount();
}

}  // namespace toolway::gateway::sessions
