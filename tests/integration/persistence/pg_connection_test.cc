// Values as Postgres has them, through libpqxx.
#include <limits>

#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

class PgConnectionTest : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    auto opened = postgres::PgConnection::open(url_);
    ASSERT_TRUE(opened) << opened.error().message;
    connection_ = std::move(*opened);
  }

  postgres::SqlRow row(const std::string& sql,
                       const std::vector<postgres::SqlParameter>& parameters = {}) {
    auto rows = connection_->execute(sql, parameters);
    EXPECT_TRUE(rows) << rows.error().message;
    return rows.value().at(0);
  }
  postgres::PgError error(const std::string& sql) {
    auto rows = connection_->execute(sql);
    EXPECT_FALSE(rows) << sql;
    return rows ? postgres::PgError{} : rows.error();
  }

  std::optional<postgres::PgConnection> connection_;
};

TEST_F(PgConnectionTest, EachTypeComesAsItself) {
  const auto values = row(
      "SELECT true AS boolean, 1::smallint AS smallint, (-2)::integer AS integer, 9223372036854775807 AS bigint, "
      "'18446744073709551615'::xid8 AS xid8, 0.5::float4 AS real, 1e300::float8 AS double, '\\x00ff41'::bytea AS bytea, "
      "''::bytea AS empty, 'a'::text AS text, '{\"a\": 1}'::json AS json, "
      "'019c1f2e-0000-7000-8000-0000000000ff'::uuid AS uuid, ARRAY['a','b'] AS texts");
  EXPECT_TRUE(values.get<bool>("boolean"));
  EXPECT_EQ(values.get<std::int64_t>("smallint"), 1);
  EXPECT_EQ(values.get<std::int64_t>("integer"), -2);
  EXPECT_EQ(values.get<std::int64_t>("bigint"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(values.get<std::uint64_t>("xid8"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(values.get<double>("real"), 0.5);
  EXPECT_EQ(values.get<double>("double"), 1e300);
  EXPECT_EQ(values.get<std::string>("bytea"), std::string("\0\xff"
                                                          "A",
                                                          3));
  EXPECT_EQ(values.get<std::string>("empty"), "");
  EXPECT_EQ(values.get<std::string>("text"), "a");
  EXPECT_EQ(values.get<std::string>("json"), R"({"a": 1})");
  EXPECT_EQ(values.get<std::string>("uuid"), "019c1f2e-0000-7000-8000-0000000000ff");
  EXPECT_EQ(values.get<std::string>("texts"), "{a,b}");
}

TEST_F(PgConnectionTest, NullHasNoValue) {
  const auto values =
      row("SELECT NULL::bigint AS number, NULL::bytea AS bytes, NULL AS nothing, '' AS text");
  EXPECT_EQ(values.nullable<std::int64_t>("number"), std::nullopt);
  EXPECT_EQ(values.nullable<std::string>("bytes"), std::nullopt);
  EXPECT_EQ(values.nullable<bool>("nothing"), std::nullopt);
  EXPECT_EQ(values.nullable<std::string>("text"), "");
  EXPECT_THROW(values.get<std::int64_t>("number"), std::logic_error);
}

TEST_F(PgConnectionTest, AnotherTypeIsRefused) {
  const auto values =
      row("SELECT 1 AS number, '1'::text AS text, 1.5 AS numeric, '2'::xid8 AS xid8");
  EXPECT_THROW(values.get<std::string>("number"), std::logic_error);
  EXPECT_THROW(values.get<std::int64_t>("text"), std::logic_error);
  EXPECT_THROW(values.get<double>("numeric"), std::logic_error) << "its text is exact";
  EXPECT_THROW(values.get<std::int64_t>("xid8"), std::logic_error);
}

TEST_F(PgConnectionTest, ParametersComeBackAsTheyWent) {
  const std::string bytes("\0\\x\xff", 4);
  const std::vector<std::string> texts{"plain", "with, comma", R"(with "quotes" and \ )", "",
                                       "NULL"};
  const auto values = row(
      "SELECT $1::bigint AS number, $2::text AS text, $3::bytea AS bytes, $4::text AS nothing, $5::boolean AS flag, "
      "$6::xid8 AS xid, array_length($7::text[], 1) AS length, ($7::text[])[3] AS third, ($7::text[])[5] AS fifth, "
      "($8::bigint[])[2] AS second",
      {std::numeric_limits<std::int64_t>::min(), "\"{}'", postgres::SqlParameter::bytes(bytes),
       std::nullopt, true, std::numeric_limits<std::uint64_t>::max(),
       postgres::SqlParameter::array(texts),
       postgres::SqlParameter::array(std::vector<int>{1, -2})});
  EXPECT_EQ(values.get<std::int64_t>("number"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(values.get<std::string>("text"), "\"{}'");
  EXPECT_EQ(values.get<std::string>("bytes"), bytes);
  EXPECT_EQ(values.nullable<std::string>("nothing"), std::nullopt);
  EXPECT_TRUE(values.get<bool>("flag"));
  EXPECT_EQ(values.get<std::uint64_t>("xid"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(values.get<std::int64_t>("length"), 5);
  EXPECT_EQ(values.get<std::string>("third"), texts[2]);
  EXPECT_EQ(values.get<std::string>("fifth"), "NULL");
  EXPECT_EQ(values.get<std::int64_t>("second"), -2);
}

TEST_F(PgConnectionTest, EveryErrorHasItsSqlstateAndNoRow) {
  ASSERT_TRUE(connection_->execute(
      "CREATE TABLE t (x integer PRIMARY KEY CHECK (x > 0), y text NOT NULL DEFAULT 'secret')"));
  ASSERT_TRUE(connection_->execute("INSERT INTO t VALUES (1)"));
  const auto twice = error("INSERT INTO t VALUES (1)");
  EXPECT_EQ(twice.sqlstate, "23505");
  EXPECT_EQ(twice.failure, postgres::PgFailure::kData);
  EXPECT_EQ(twice.message, "duplicate key value violates unique constraint \"t_pkey\"");
  EXPECT_EQ(error("INSERT INTO t VALUES (-1)").message.find("secret"), std::string::npos);
  EXPECT_EQ(error("SELECT * FROM nowhere").sqlstate, "42P01");
  EXPECT_EQ(error("SELECT 1/0").sqlstate, "22012");
  EXPECT_EQ(error("SET ROLE pg_read_all_data; SELECT pg_read_file('x')").sqlstate, "42501");
  ASSERT_TRUE(connection_->execute("RESET ROLE"));
  EXPECT_EQ(error("BEGIN; DO $$ BEGIN RAISE SQLSTATE '40001'; END $$").failure,
            postgres::PgFailure::kContention);
  EXPECT_EQ(error("SELECT 1").sqlstate, "25P02");
  ASSERT_TRUE(connection_->execute("ROLLBACK"));
  EXPECT_EQ(error("DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$").sqlstate, "40P01");
  EXPECT_EQ(error("DO $$ BEGIN RAISE SQLSTATE '55P03'; END $$").failure,
            postgres::PgFailure::kContention);
  EXPECT_FALSE(connection_->broken());
}

TEST_F(PgConnectionTest, WhatIsPlannedOnceIsPlannedOnceForAllParameters) {
  using enum postgres::Planning;
  ASSERT_TRUE(connection_->execute("CREATE TABLE t (x integer)"));
  ASSERT_TRUE(connection_->execute("INSERT INTO t SELECT generate_series(1, 3)"));
  for (const int least : {1, 2, 3, 4, 0, 1, 2, 3}) {
    const auto rows =
        connection_->execute("SELECT x FROM t WHERE x >= $1::integer", {least}, kOnce);
    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_EQ(rows->size(), least == 0 ? 3U : static_cast<unsigned>(4 - least));
  }
  const auto plans =
      row("SELECT count(*) AS all, sum(generic_plans)::bigint AS generic, "
          "sum(custom_plans)::bigint AS custom FROM pg_prepared_statements");
  EXPECT_EQ(plans.get<std::int64_t>("all"), 1);
  EXPECT_EQ(plans.get<std::int64_t>("generic"), 8);
  EXPECT_EQ(plans.get<std::int64_t>("custom"), 0);
}

TEST_F(PgConnectionTest, NoPlanIsCompiled) {
  EXPECT_EQ(row("SHOW jit").get<std::string>("jit"), "off")
      << "a plan for all parameters looks so expensive that compiling it takes longer than it";
}

TEST_F(PgConnectionTest, APlanThatPostgresForgotIsNotMissed) {
  using enum postgres::Planning;
  const auto doubled = [&](int x) {
    const auto rows = connection_->execute("SELECT 2 * $1::integer AS y", {x}, kOnce);
    return rows ? rows->at(0).get<std::int64_t>("y") : -1;
  };
  EXPECT_EQ(doubled(2), 4);
  ASSERT_TRUE(connection_->execute("DEALLOCATE ALL"));
  EXPECT_EQ(doubled(3), 6);
  EXPECT_EQ(doubled(4), 8);
  EXPECT_FALSE(connection_->broken());
}

TEST_F(PgConnectionTest, APlanWhoseColumnsChangeIsMadeAgain) {
  using enum postgres::Planning;
  ASSERT_TRUE(connection_->execute("CREATE TABLE t (x integer)"));
  ASSERT_TRUE(connection_->execute("INSERT INTO t VALUES (1)"));
  const std::string sql = "SELECT * FROM t WHERE x = $1::integer";
  ASSERT_TRUE(connection_->execute(sql, {1}, kOnce));
  ASSERT_TRUE(connection_->execute("ALTER TABLE t ADD COLUMN y integer DEFAULT 7"));
  const auto rows = connection_->execute(sql, {1}, kOnce);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->at(0).get<std::int64_t>("y"), 7);
}

TEST_F(PgConnectionTest, WhatIsPlannedOnceFailsAsOtherStatementsDo) {
  using enum postgres::Planning;
  for (int i = 0; i < 2; ++i) {
    const auto failed = connection_->execute("SELECT 1 / $1::integer", {0}, kOnce);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().sqlstate, "22012");
    const auto unknown = connection_->execute("SELECT $1::integer FROM nowhere", {0}, kOnce);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().sqlstate, "42P01");
  }
  EXPECT_FALSE(connection_->broken());
}

TEST_F(PgConnectionTest, WhoOnlyReadsCannotWrite) {
  auto reader = postgres::PgConnection::open(url_, {}, postgres::PgAccess::kReadOnly);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_TRUE(reader->execute("SELECT 1"));
  const auto written = reader->execute("CREATE TABLE t ()");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().sqlstate, "25006");
}

TEST_F(PgConnectionTest, NoErrorContainsThePassword) {
  const auto refused = postgres::PgConnection::open("postgresql://u:secret@127.0.0.1:1/db");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure, postgres::PgFailure::kUnavailable);
  EXPECT_FALSE(refused.error().message.empty());
  EXPECT_EQ(refused.error().message.find("secret"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace toolway::persistence
