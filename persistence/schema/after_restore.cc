#include "persistence/schema/after_restore.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/try.h"
#include "bus/answer.h"
#include "bus/key_value.h"
#include "persistence/postgres/pg_connection.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::persistence::schema {
namespace {

/// More than collectors begin between two backups of a busy day's hours; seconds of work; 40 on a
/// machine at load 30.
constexpr std::uint64_t kMargin = 1'000'000;
constexpr std::uint64_t kAtOnce = 100'000;

Error store_error(const char* doing, const postgres::PgError& error) {
  return {ErrorCode::kStoreUnavailable, fmt::format("{}: {}", doing, error.message), {}};
}

struct PutBack {
  std::size_t sessions = 0;
  std::uint64_t read = 0;  ///< the largest transaction id of a mailbox cursor in the bucket
};

/// Of several sessions of one name the newest counts: it is the one that the bucket had, unless it
/// had left it.
Result<PutBack> put_sessions_back(postgres::PgConnection& postgres, bus::KeyValue& bucket) {
  auto rows = postgres.execute(
      "SELECT record FROM (SELECT DISTINCT ON (tenant_id, user_id, session_id) record, state, "
      "in_bucket FROM sessions ORDER BY tenant_id, user_id, session_id, incarnation DESC, "
      "revision DESC) newest WHERE in_bucket AND state <> 'deleted'");
  if (!rows) return fail(store_error("reading the sessions", rows.error()));
  PutBack done;
  for (const auto& row : *rows) {
    const auto& bytes = row.get<std::string>("record");
    ASSIGN_OR_RETURN(const auto record, proto::decode_session(bytes));
    const auto key =
        proto::session_bucket_key(record.tenant_id(), record.user_id(), record.session_id());
    auto there =
        bus::answer_of<bus::Entry>([&](auto handler) { bucket.get(key, std::move(handler)); });
    if (there) {
      if (const auto now = proto::decode_session(there->value))
        done.read = std::max<std::uint64_t>(done.read, now->read_xid());
      continue;
    }
    if (there.error().code != ErrorCode::kNotFound) return fail(there.error());
    auto put = bus::answer_of<std::uint64_t>(
        [&](auto handler) { bucket.put(key, bytes, 0, std::move(handler)); });
    // Refused: its user has opened it again.
    if (!put && put.error().code != ErrorCode::kWrongLastSequence) return fail(put.error());
    done.sessions += put ? 1 : 0;
  }
  return done;
}

Result<std::uint64_t> transaction_id(postgres::PgConnection& postgres, const std::string& sql) {
  auto rows = postgres.execute(sql);
  if (!rows) return fail(store_error("asking for transaction ids", rows.error()));
  return rows->at(0).get<std::uint64_t>("xid");
}

/// Ids are spent one by one: Postgres has no other way while it runs.
Result<std::uint64_t> pass(postgres::PgConnection& postgres, std::uint64_t target) {
  if (auto quick = postgres.execute("SET synchronous_commit = off"); !quick)
    return fail(store_error("passing transaction ids", quick.error()));
  while (true) {
    const auto now = transaction_id(postgres, "SELECT pg_current_xact_id() AS xid");
    if (!now || *now > target) return now;
    auto spent = postgres.execute(fmt::format(
        "DO $$ BEGIN FOR i IN 1..{} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$",
        std::min(kAtOnce, target - *now + 1)));
    if (!spent) return fail(store_error("passing transaction ids", spent.error()));
  }
}

Result<void> forget_what_is_recorded(bus::Messenger& bus) {
  for (const auto stream :
       std::array{proto::kCallsStream, proto::kEventsStream, proto::kBlobsStream,
                  proto::kSessionsStream, proto::kAuditStream, proto::kApiKeysStream}) {
    auto answer = bus::answer_of<std::string>([&](auto handler) {
      bus.request(fmt::format("$JS.API.CONSUMER.DELETE.{}.{}", stream, proto::kCollectorDurable),
                  "", std::move(handler));
    });
    RETURN_IF_ERROR(answer);
    const auto said = parse_json(*answer);
    constexpr int kNoSuchConsumer = 10014;  // nats-server's server/errors.json
    if (said && said->contains("error") &&
        (*said)["error"].value("err_code", 0) != kNoSuchConsumer) {
      return fail(ErrorCode::kInternal,
                  fmt::format("deleting durable {} of {}: {}", proto::kCollectorDurable, stream,
                              (*said)["error"].value("description", "")));
    }
  }
  return {};
}

}  // namespace

Result<AfterRestore> after_restore(bus::Bus& bus, const std::string& postgres_url) {
  auto postgres = postgres::PgConnection::open(postgres_url, postgres::patience_of_a_command());
  if (!postgres) return fail(store_error("connecting to Postgres", postgres.error()));
  bus::KeyValue bucket(bus, std::string(proto::kSessionsBucket));
  ASSIGN_OR_RETURN(const auto put_back, put_sessions_back(*postgres, bucket));
  ASSIGN_OR_RETURN(
      const auto recorded,
      transaction_id(
          *postgres,
          "SELECT greatest((SELECT max(xid::text::numeric) FROM completions), "
          "(SELECT max(read_xid::text::numeric) FROM sessions), "
          "(SELECT max(heard_xid::text::numeric) FROM conversations), "
          "(SELECT max(xid::text::numeric) FROM audit_log), "
          "(SELECT max(to_xid::text::numeric) FROM audit_seals), 0)::text::xid8 AS xid"));
  ASSIGN_OR_RETURN(const auto passed, pass(*postgres, std::max(recorded, put_back.read) + kMargin));
  RETURN_IF_ERROR(forget_what_is_recorded(bus));
  return AfterRestore{.sessions = put_back.sessions, .transaction = passed};
}

}  // namespace toolway::persistence::schema
