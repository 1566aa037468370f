#include "persistence/reaper/closed_sessions.h"

#include <future>
#include <optional>

#include "base/try.h"
#include "bus/answer.h"
#include "bus/key_value.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::persistence::reaper {
namespace {

struct Leaving {
  const ClosedSession* session = nullptr;
  std::string key;
  std::future<Result<bus::Entry>> there;
  std::optional<std::future<Result<std::uint64_t>>> put;
  bool out = false;
};

/// Errors: those of the bus as a whole.
Result<void> look(bus::KeyValue& bucket, Leaving& leaving) {
  auto there = leaving.there.get();
  if (!there && there.error().code == ErrorCode::kNotFound) {
    leaving.out = true;  // by its age, or with the bucket
    return {};
  }
  RETURN_IF_ERROR(there);
  if (there->value.empty()) {
    leaving.out = true;
    return {};
  }
  // Written since: what Postgres has is not the newest, or soon will not be.
  if (there->value != leaving.session->record) return {};
  leaving.put = bus::asked<std::uint64_t>([&](auto handler) {
    bucket.put(leaving.key, std::string(), there->revision, std::move(handler));
  });
  return {};
}

}  // namespace

Result<bool> sessions_crowded(bus::StreamReader& bus) {
  ASSIGN_OR_RETURN(const auto state, bus::answer_of<bus::StreamState>([&](auto handler) {
                     bus.stream_state(proto::kSessionsStream, std::move(handler));
                   }));
  return state.max_bytes > 0 &&
         static_cast<double>(state.bytes) > kCrowdedAbove * static_cast<double>(state.max_bytes);
}

Result<std::vector<ClosedSession>> take_out(bus::Bus& bus,
                                            const std::vector<ClosedSession>& closed) {
  bus::KeyValue bucket(bus, std::string(proto::kSessionsBucket));
  std::vector<Leaving> all;
  all.reserve(closed.size());
  for (const ClosedSession& session : closed) {
    const auto record = proto::decode_session(session.record);
    if (!record) continue;
    Leaving leaving{.session = &session,
                    .key = proto::session_bucket_key(record->tenant_id(), record->user_id(),
                                                     record->session_id()),
                    .there = {},
                    .put = {}};
    leaving.there =
        bus::asked<bus::Entry>([&](auto handler) { bucket.get(leaving.key, std::move(handler)); });
    all.push_back(std::move(leaving));
  }
  Result<void> done;
  for (Leaving& leaving : all) {
    if (auto looked = look(bucket, leaving); !looked) done = looked;
  }
  std::vector<ClosedSession> out;
  for (Leaving& leaving : all) {
    if (leaving.put) {
      auto put = leaving.put->get();
      leaving.out = put.has_value();
      // Refused: a gateway has restored it in between. Not answered: the next round finds it empty.
      if (!put && put.error().code != ErrorCode::kWrongLastSequence) done = fail(put.error());
    }
    if (leaving.out) out.push_back(*leaving.session);
  }
  if (!done && out.empty()) return fail(done.error());
  return out;
}

Result<std::vector<ClosedSession>> closed_sessions(ElectedConnection& connection,
                                                   std::chrono::milliseconds keep,
                                                   std::size_t limit) {
  ASSIGN_OR_RETURN(
      auto rows,
      connection.ask("SELECT record, incarnation, revision, session_key FROM sessions "
                     "WHERE state <> 'open' AND in_bucket "
                     "AND closed_at <= clock_timestamp() - $1::bigint * interval '1 millisecond' "
                     "ORDER BY closed_at LIMIT $2::bigint",
                     {keep.count(), limit}));
  std::vector<ClosedSession> sessions;
  sessions.reserve(rows.size());
  for (const auto& row : rows) {
    sessions.push_back({.record = row.get<std::string>("record"),
                        .incarnation = row.get<std::int64_t>("incarnation"),
                        .revision = static_cast<std::uint64_t>(row.get<std::int64_t>("revision")),
                        .session_key = row.get<std::string>("session_key")});
  }
  return sessions;
}

Result<void> left_bucket(ElectedConnection& connection,
                         const std::vector<ClosedSession>& sessions) {
  if (sessions.empty()) return {};
  std::vector<std::string> keys;
  std::vector<std::int64_t> incarnations;
  std::vector<std::uint64_t> revisions;
  for (const ClosedSession& session : sessions) {
    keys.push_back(session.session_key);
    incarnations.push_back(session.incarnation);
    revisions.push_back(session.revision);
  }
  // One that was restored in between has a newer revision, and is in the bucket.
  auto reply = connection.ask(
      "UPDATE sessions s SET in_bucket = false "
      "FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS gone (session_key, incarnation, revision) "
      "WHERE s.session_key = gone.session_key AND s.incarnation = gone.incarnation "
      "AND s.revision = gone.revision",
      {postgres::SqlParameter::array(keys), postgres::SqlParameter::array(incarnations),
       postgres::SqlParameter::array(revisions)});
  RETURN_IF_ERROR(reply);
  return {};
}

}  // namespace toolway::persistence::reaper
