#include "tests/integration/simulation/both_stores.h"

#include "base/reserved_names.h"

namespace toolway::simulation::turns {
namespace {

using conversations::Arrival;
using conversations::CallNotes;
using conversations::kPlaceHolds;
using conversations::StoredMessage;
using std::chrono::seconds;

/// A call may have ended before it was recorded itself.
constexpr seconds kUnknownFor{10};
/// Postgres and the model look at their clocks one after the other.
constexpr seconds kApart{2};

std::string writer_name(const conversations::Writer& writer) {
  return fmt::format("{}:{}", writer.turn.substr(24), writer.attempt);
}

}  // namespace

void BothStores::SetUp() {
  ConversationsFixture::SetUp();
  auto opened = persistence::postgres::PgConnection::open(url_);
  ASSERT_TRUE(opened) << opened.error().message;
  watch_.emplace(std::move(*opened));
  // What it reads of mailboxes is what was committed before every transaction that runs.
  ask("ALTER SYSTEM SET autovacuum = off");
  ask("SELECT pg_reload_conf()");
}

void BothStores::begin(int sessions) {
  for (const auto* table : {"conversations", "conversation_waiters", "messages",
                            "conversation_calls", "completions", "calls", "sessions"})
    ask(fmt::format("DELETE FROM {}", table));
  recorded_.all.clear();
  names_.clear();
  postgres_ids_.clear();
  done_.clear();
  owners_.clear();
  tables_ = std::make_unique<ConversationTables>(recorded_);
  for (int i = 0; i < sessions; ++i) {
    owners_.push_back({"default", SessionKey::make().text()});
    const auto& key = owners_.back().session_key;
    ask(
        fmt::format("INSERT INTO sessions (session_key, user_id, session_id, namespaces, "
                    "state, created_at, updated_at, incarnation, revision, record) "
                    "VALUES ('{0}', 'ann', '{0}', '{{}}', 'open', now(), now(), 1, 1, '')",
                    key));
  }
}

BothStores::SqlRows BothStores::ask(const std::string& sql) {
  auto rows = watch_->execute(sql);
  EXPECT_TRUE(rows) << rows.error().message << " in " << sql;
  return rows ? std::move(*rows) : SqlRows();
}

/// `settled`: a limit that this function has.
template <typename P, typename M>
void BothStores::compare(const std::string& what, P postgres, M model, seconds settled) {
  step_back_from_limits(settled);
  done_.push_back(what);
  const auto real = postgres();
  const auto modelled = model();
  // They learn which conversations there are, too.
  const auto rows = rows_of_postgres();
  const auto modelled_rows = rows_of_model();
  EXPECT_EQ(text(real), text(modelled)) << "Postgres, and the model, answer to " << done_.back();
  EXPECT_EQ(rows, modelled_rows) << "Postgres, and the model, after " << done_.back();
}

void BothStores::take(const Owner& owner, const Writer& writer) {
  compare(
      fmt::format("take {} {}", session_name(owner.session_key), writer_name(writer)),
      [&] { return store_->take(owner, writer); },
      [&] { return tables_->take(owner, writer, now()); });
}

std::string BothStores::names_of(const std::vector<Arrival>& arrivals) const {
  std::string names;
  for (const auto& one : arrivals)
    names += fmt::format(" {}.{}@{}", session_name(one.owner.session_key), one.turn.substr(24),
                         one.place);
  return names;
}

void BothStores::arrive(const std::vector<Arrival>& arrivals) {
  compare(
      "arrive" + names_of(arrivals), [&] { return store_->arrive(arrivals); },
      [&] { return tables_->arrive(arrivals, now()); });
}

void BothStores::are_known(const std::vector<Arrival>& turns) {
  compare(
      "are known" + names_of(turns), [&] { return store_->are_known(turns); },
      [&] { return tables_->are_known(turns); });
}

void BothStores::ask_to_stop(const Owner& owner) {
  compare(
      "ask to stop " + session_name(owner.session_key), [&] { return store_->ask_to_stop(owner); },
      [&] {
        tables_->ask_to_stop(owner);
        return Result<void>();
      });
}

void BothStores::start_new(const Owner& owner, const Writer& writer, const std::string& options) {
  compare(
      fmt::format("start new {} {}", session_name(owner.session_key), writer_name(writer)),
      [&] { return store_->start_new(owner, writer, options); },
      [&] { return tables_->start_new(owner, writer, options, now()); });
}

void BothStores::renew(const std::vector<conversations::Lease>& leases) {
  std::string what = "renew";
  for (const auto& one : leases)
    what += fmt::format(" {} {}", session_name(one.owner.session_key), writer_name(one.writer));
  compare(
      what, [&] { return store_->renew(leases); }, [&] { return tables_->renew(leases, now()); });
}

void BothStores::release(const Owner& owner, const Writer& writer) {
  compare(
      fmt::format("release {} {}", session_name(owner.session_key), writer_name(writer)),
      [&] { return store_->release(owner, writer); },
      [&] {
        tables_->release(owner, writer);
        return Result<void>();
      });
}

void BothStores::leave(const Owner& owner, const Writer& writer) {
  compare(
      fmt::format("leave {} {}", session_name(owner.session_key), writer_name(writer)),
      [&] { return store_->leave(owner, writer); },
      [&] {
        tables_->leave(owner, writer, now());
        return Result<void>();
      });
}

void BothStores::append(const std::string& id, const Writer& writer, const StoredMessage& message,
                        const CallNotes& notes) {
  auto real = notes;
  auto modelled = notes;
  if (!notes.heard.empty()) {
    real.heard = postgres_place(std::stoull(notes.heard));
    modelled.heard = "1." + notes.heard;
  }
  compare(
      fmt::format("append {} {} {}", name(id), writer_name(writer), message.number),
      [&] { return store_->append(postgres_id(id), writer, message, real); },
      [&] { return tables_->append(id, writer, message, modelled, now()); });
}

void BothStores::last_before(const std::string& id, std::uint64_t before, std::size_t bytes) {
  compare(
      fmt::format("last of {} before {}, {} bytes", name(id), before, bytes),
      [&] { return store_->last_before(postgres_id(id), before, bytes); },
      [&] { return tables_->last_before(id, before, bytes); });
}

void BothStores::news(const std::string& id, std::uint64_t after) {
  compare(
      fmt::format("news of {} after {}", name(id), after),
      [&] { return store_->news(postgres_id(id), after == 0 ? "" : postgres_place(after)); },
      [&] { return tables_->news(id, after == 0 ? "" : fmt::format("1.{}", after), now()); });
}

void BothStores::count_auto_turn(const std::string& id) {
  compare(
      "count " + name(id), [&] { return store_->count_auto_turn(postgres_id(id)); },
      [&] { return tables_->count_auto_turn(id); });
}

void BothStores::wakeable(seconds settled, const std::vector<std::string>& besides) {
  std::vector<std::string> theirs;
  for (const auto& id : besides) theirs.push_back(postgres_id(id));
  const auto settled_s = static_cast<double>(settled.count());
  compare(
      fmt::format("wakeable after {} s", settled.count()),
      [&] { return store_->wakeable(settled_s, theirs); },
      [&] { return tables_->wakeable(settled_s, besides, now()); }, settled);
}

void BothStores::stop_waking(const std::string& id) {
  compare(
      "stop waking " + name(id), [&] { return store_->stop_waking(postgres_id(id)); },
      [&] {
        tables_->stop_waking(id);
        return Result<void>();
      });
}

void BothStores::complete(const Owner& owner, const std::string& call, bool of_turn, bool known) {
  done_.push_back(fmt::format("{} ends in {}", call.substr(24), session_name(owner.session_key)));
  if (known) insert_call(owner, call, of_turn);
  const auto rows = ask(fmt::format(
      "INSERT INTO completions (call_id, session_key, incarnation, sequence, outcome, attempt, "
      "seq, completed_at, event) VALUES ('{}', '{}', 1, 1, 'cancelled', 1, 1, clock_timestamp(), '') "
      "RETURNING xid::text || '.' || number AS place",
      call, owner.session_key));
  recorded_.all.push_back({.session = owner.session_key,
                           .ended = {.call = call,
                                     .of_turn = of_turn || !known,
                                     .known = known,
                                     .at = now(),
                                     .place = recorded_.all.size() + 1},
                           .place = rows.at(0).get<std::string>("place")});
}

void BothStores::record(std::size_t completion, bool of_turn) {
  auto& [session, ended, place] = recorded_.all.at(completion);
  done_.push_back(fmt::format("{} is recorded", ended.call.substr(24)));
  insert_call({"default", session}, ended.call, of_turn);
  ended.known = true;
  ended.of_turn = of_turn;
}

void BothStores::insert_call(const Owner& owner, const std::string& call, bool of_turn) {
  ask(
      fmt::format("INSERT INTO calls (call_id, user_id, session_key, session_id, namespace, tool, "
                  "multi_step, pool, submitted_at, incarnation, sequence, request) VALUES ('{}', "
                  "'ann', '{}', 's', '{}', 't', false, 'native', now(), 0, 1, '')",
                  call, owner.session_key, of_turn ? kTurnNamespace : "n"));
}

void BothStores::pass(seconds time) {
  done_.push_back(fmt::format("{} s pass", time.count()));
  ask(
      fmt::format("WITH a AS (UPDATE conversations SET lease_until = lease_until - {0}), b AS "
                  "(UPDATE conversation_waiters SET until = until - {0}) "
                  "UPDATE completions SET completed_at = completed_at - {0}",
                  fmt::format("interval '{} seconds'", time.count())));
  passed_ += time;
}

/// Shortly before and after a limit they may differ.
void BothStores::step_back_from_limits(seconds settled) {
  while (near_limit(settled)) pass(kApart);
}

bool BothStores::near_limit(seconds settled) const {
  const auto at = now();
  const auto near = [&](Micros limit) { return limit - at < kApart && at - limit < kApart; };
  return std::ranges::any_of(
             tables_->all(),
             [&](const auto& one) { return one.lease && near(one.lease_until + kPlaceHolds); }) ||
         std::ranges::any_of(tables_->waiters(),
                             [&](const auto& entry) { return near(entry.second.until); }) ||
         std::ranges::any_of(recorded_.all, [&](const auto& one) {
           return near(one.ended.at + kUnknownFor) ||
                  (settled > seconds(0) && near(one.ended.at + settled));
         });
}

}  // namespace toolway::simulation::turns
