// A Postgres that says nothing: no caller waits for it longer than it was told to.
#include <signal.h>

#include <future>

#include "local/leftover.h"
#include "persistence/collector/copy_connection.h"
#include "persistence/postgres/pg_connection.h"
#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

class PgPatienceTest : public StoreFixture {
 protected:
  /// The server and all its backends stand still until it ends.
  class Frozen {
   public:
    Frozen() : pids_(local::processes_in(cluster_->directory() + "/data")) {
      for (const int pid : pids_) kill(pid, SIGSTOP);
    }
    ~Frozen() {
      for (const int pid : pids_) kill(pid, SIGCONT);
    }

   private:
    const std::vector<int> pids_;
  };

  template <typename Connection = postgres::PgConnection>
  Connection open(postgres::PgPatience patience) {
    auto opened = Connection::open(url_, std::move(patience));
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }
  /// With each library's connection in turn.
  static void with_both(auto act) {
    {
      SCOPED_TRACE("libpqxx");
      act(std::type_identity<postgres::PgConnection>());
    }
    SCOPED_TRACE("libpq");
    act(std::type_identity<collector::CopyConnection>());
  }
  /// The first value of what was answered.
  static std::string first_of(const postgres::PgResult<postgres::SqlRows>& rows) {
    return test::text_of(rows->at(0).values().at(0));
  }
  static postgres::PgResult<void> copy_in(collector::CopyConnection& connection,
                                          const std::string& sql, std::string_view data) {
    collector::CopyScript script{sql, {data}};
    return connection.run(script);
  }
  static std::string first_of(const postgres::PgResult<collector::CopyReply>& reply) {
    return reply->value;
  }
  /// As gateways open one.
  postgres::PgResult<postgres::PgConnection> open_reader(
      milliseconds statement, std::shared_ptr<postgres::PgCutoff> cutoff = nullptr) {
    return postgres::PgConnection::open(
        url_, postgres::patience_of_a_reader(statement, std::move(cutoff)),
        postgres::PgAccess::kReadOnly, limit_);
  }
  template <typename Act>
  static milliseconds time_of(Act act) {
    const auto begun = Steady::now();
    act();
    return std::chrono::duration_cast<milliseconds>(Steady::now() - begun);
  }

  const std::shared_ptr<postgres::WaitLimit> limit_ = std::make_shared<postgres::WaitLimit>();
};

TEST_F(PgPatienceTest, AStatementThatGetsNoAnswerIsGivenUpAndItsConnectionWithIt) {
  with_both([&]<typename Connection>(std::type_identity<Connection>) {
    auto connection = open<Connection>({.statement = milliseconds(300)});
    const Frozen frozen;
    const auto took = time_of([&] {
      const auto reply = connection.execute("SELECT 1");
      ASSERT_FALSE(reply);
      EXPECT_TRUE(reply.error().gave_up);
      EXPECT_EQ(reply.error().failure, postgres::PgFailure::kUnavailable);
    });
    EXPECT_GE(took, milliseconds(300));
    EXPECT_LT(took, seconds(3));
    EXPECT_TRUE(connection.broken());
    EXPECT_FALSE(connection.execute("SELECT 1"));
  });
}

TEST_F(PgPatienceTest, AStatementOfAClosedConnectionEndsInPostgresToo) {
  with_both([&]<typename Connection>(std::type_identity<Connection>) {
    const auto locked = [this] {
      return query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'");
    };
    const auto cutoff = std::make_shared<postgres::PgCutoff>();
    auto connection = std::make_unique<Connection>(open<Connection>({.cutoff = cutoff}));
    auto waiting = std::async(std::launch::async, [&] {
      return connection->execute(
          "SELECT pg_advisory_lock(7); SELECT count(*) FROM generate_series(1, 1000000000000)");
    });
    while (locked() != "1")
      ASSERT_EQ(waiting.wait_for(milliseconds(20)), std::future_status::timeout);
    cutoff->set(Steady::now());
    EXPECT_TRUE(waiting.get().error().gave_up);
    connection.reset();
    const auto until = Steady::now() + seconds(20);
    while (locked() != "0") ASSERT_LT(Steady::now(), until);
  });
}

TEST_F(PgPatienceTest, PostgresEndsAStatementWhenItsClientDoes) {
  with_both([&]<typename Connection>(std::type_identity<Connection>) {
    auto connection = open<Connection>({.statement = milliseconds(300)});
    EXPECT_EQ(first_of(connection.execute("SHOW statement_timeout")), "300ms");
    EXPECT_EQ(first_of(open<Connection>({}).execute("SHOW statement_timeout")), "0");
  });
}

TEST_F(PgPatienceTest, ACutoffEndsAWaitWithoutLimitAndEveryLaterOne) {
  with_both([&]<typename Connection>(std::type_identity<Connection>) {
    const auto cutoff = std::make_shared<postgres::PgCutoff>();
    auto connection = open<Connection>({.cutoff = cutoff});
    ASSERT_TRUE(connection.execute("SELECT 1"));
    auto waiting =
        std::async(std::launch::async, [&] { return connection.execute("SELECT pg_sleep(60)"); });
    EXPECT_EQ(waiting.wait_for(milliseconds(100)), std::future_status::timeout);
    const auto took = time_of([&] {
      cutoff->set(Steady::now());
      EXPECT_TRUE(waiting.get().error().gave_up);
    });
    EXPECT_LT(took, seconds(3));
    EXPECT_FALSE(Connection::open(url_, {.cutoff = cutoff}));
  });
}

TEST_F(PgPatienceTest, RowsThatTheServerDoesNotTakeAreGivenUpToo) {
  auto connection = open<collector::CopyConnection>({.statement = milliseconds(500)});
  ASSERT_TRUE(connection.execute("CREATE TABLE t (x text)"));
  // More than the buffers of both sides hold.
  std::string rows(64 * 1024 - 1, 'x');
  rows += '\n';
  std::string data;
  for (int i = 0; i < 512; ++i) data += rows;
  ASSERT_TRUE(copy_in(connection, "COPY t FROM STDIN", data.substr(0, 10 * rows.size())));
  const Frozen frozen;
  const auto took = time_of([&] {
    const auto copied = copy_in(connection, "COPY t FROM STDIN", data);
    ASSERT_FALSE(copied);
    EXPECT_TRUE(copied.error().gave_up);
  });
  EXPECT_LT(took, seconds(4));
}

TEST_F(PgPatienceTest, WhatPostgresRefusesInTheMiddleOfACopyIsTheRowsFault) {
  auto connection = open<collector::CopyConnection>({});
  ASSERT_TRUE(connection.execute("CREATE TABLE t (x integer)"));
  std::string data = "no number\n";
  for (int i = 0; i < 2'000'000; ++i) data += "12345\n";
  const auto copied = copy_in(connection, "COPY t FROM STDIN", data);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().failure, postgres::PgFailure::kData) << copied.error().message;
  EXPECT_FALSE(connection.broken());
  EXPECT_TRUE(copy_in(connection, "COPY t FROM STDIN", "1\n2\n"));
  EXPECT_EQ(query("SELECT count(*) FROM t"), "2");
}

TEST_F(PgPatienceTest, AConnectionThatIsEndedSaysWhy) {
  with_both([&]<typename Connection>(std::type_identity<Connection>) {
    auto connection = open<Connection>({});
    auto pid = connection.execute("SELECT pg_backend_pid()");
    ASSERT_TRUE(pid);
    EXPECT_EQ(query("SELECT pg_terminate_backend(" + first_of(pid) + ", 5000)"), "t");
    const auto reply = connection.execute("SELECT 1");
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().failure, postgres::PgFailure::kUnavailable);
    EXPECT_FALSE(reply.error().gave_up);
    EXPECT_TRUE(connection.broken());
  });
}

TEST_F(PgPatienceTest, OfSeveralStatementsTheLastIsAnswered) {
  with_both([&]<typename Connection>(std::type_identity<Connection>) {
    auto connection = open<Connection>({});
    const auto reply = connection.execute("SELECT 1; SELECT 2 UNION SELECT 3 ORDER BY 1");
    ASSERT_TRUE(reply);
    EXPECT_EQ(first_of(reply), "2");
    if constexpr (std::is_same_v<Connection, postgres::PgConnection>) {
      EXPECT_EQ(reply->size(), 2U);
    }
    const auto failed = connection.execute("SELECT 1; SELECT 1/0; SELECT 2");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().sqlstate, "22012");
    EXPECT_TRUE(connection.execute("SELECT 4"));
  });
}

TEST_F(PgPatienceTest, AQueryThatGetsNoAnswerIsGivenUpSoonAfterItsTimeout) {
  auto connection = open_reader(milliseconds(300));
  ASSERT_TRUE(connection);
  const auto rows = connection->execute("SELECT $1::text AS value", {"here"});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->at(0).get<std::string>("value"), "here");
  const Frozen frozen;
  const auto took = time_of([&] {
    const auto silent = connection->execute("SELECT 1");
    ASSERT_FALSE(silent);
    EXPECT_TRUE(silent.error().gave_up) << silent.error().message;
  });
  EXPECT_GE(took, milliseconds(800));
  EXPECT_LT(took, seconds(2));
  // It is of no use any more, and says so at once.
  const auto again = time_of([&] {
    const auto lost = connection->execute("SELECT 1");
    ASSERT_FALSE(lost);
    EXPECT_FALSE(lost.error().gave_up) << lost.error().message;
    EXPECT_TRUE(connection->broken());
  });
  EXPECT_LT(again, milliseconds(500));
}

TEST_F(PgPatienceTest, AQueryThatPostgresItselfEndsLeavesItsConnection) {
  auto connection = open_reader(milliseconds(300));
  ASSERT_TRUE(connection);
  const auto slow = connection->execute("SELECT pg_sleep(60)");
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().failure, postgres::PgFailure::kUnavailable) << slow.error().message;
  EXPECT_FALSE(connection->broken());
  EXPECT_EQ(connection->execute("SELECT nothing").error().failure, postgres::PgFailure::kStatement);
  EXPECT_TRUE(connection->execute("SELECT 1"));
}

TEST_F(PgPatienceTest, ACutoffEndsAQueryAtOnceAndEveryLaterOne) {
  const auto cutoff = std::make_shared<postgres::PgCutoff>();
  auto connection = open_reader(seconds(60), cutoff);
  auto other = open_reader(seconds(60));
  ASSERT_TRUE(connection && other);
  auto waiting =
      std::async(std::launch::async, [&] { return connection->execute("SELECT pg_sleep(60)"); });
  EXPECT_EQ(waiting.wait_for(milliseconds(300)), std::future_status::timeout);
  const auto took = time_of([&] {
    cutoff->set(Steady::now());
    const auto silent = waiting.get();
    ASSERT_FALSE(silent);
    EXPECT_TRUE(silent.error().gave_up) << silent.error().message;
  });
  EXPECT_LT(took, seconds(1));
  EXPECT_FALSE(connection->execute("SELECT 1"));
  EXPECT_FALSE(open_reader(seconds(60), cutoff));
  EXPECT_TRUE(other->execute("SELECT 1"));
}

TEST_F(PgPatienceTest, NoConnectionIsWaitedForLongWithoutAnAnswer) {
  const Frozen frozen;
  const auto took = time_of([&] { EXPECT_FALSE(open_reader(seconds(60))); });
  EXPECT_LT(took, seconds(4));
}

TEST_F(PgPatienceTest, AReaderGivesUpAndReadsAgainWhenPostgresDoes) {
  migrate_now();
  const auto store = store::make_postgres_reader(
      {.url = url_, .connections = 2, .statement_timeout = milliseconds(300)});
  const auto id = CallId::make(SystemClock().wall());
  ASSERT_TRUE(store->call(id));
  ASSERT_TRUE(store->ping());
  {
    const Frozen frozen;
    const auto took = time_of([&] {
      const auto read = store->call(id);
      ASSERT_FALSE(read);
      EXPECT_EQ(read.error().code, ErrorCode::kStoreUnavailable);
    });
    EXPECT_LT(took, seconds(3));
    EXPECT_EQ(store->ping().error().code, ErrorCode::kStoreUnavailable);
  }
  EXPECT_TRUE(store->call(id));
  EXPECT_TRUE(store->ping());
  store->give_up();
  EXPECT_EQ(store->call(id).error().code, ErrorCode::kStoreUnavailable);
}

}  // namespace
}  // namespace toolway::persistence
