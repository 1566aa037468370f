#include "persistence/postgres/pg_error.h"

#include <gtest/gtest.h>

namespace toolway::persistence::postgres {
namespace {

TEST(PgFailure, TellsRowsFromServersAndFromEachOther) {
  EXPECT_EQ(failure_of("23505"), PgFailure::kData);
  EXPECT_EQ(failure_of("22P02"), PgFailure::kData);
  EXPECT_EQ(failure_of("54000"), PgFailure::kData);
  EXPECT_EQ(failure_of("40P01"), PgFailure::kContention);
  EXPECT_EQ(failure_of("57P01"), PgFailure::kUnavailable);
  EXPECT_EQ(failure_of("08006"), PgFailure::kUnavailable);
  EXPECT_EQ(failure_of("55000"), PgFailure::kUnavailable);
  EXPECT_EQ(failure_of("55P03"), PgFailure::kContention);
  EXPECT_EQ(failure_of("42P01"), PgFailure::kStatement);
  EXPECT_EQ(failure_of("XX000"), PgFailure::kStatement);
  EXPECT_EQ(failure_of(""), PgFailure::kUnavailable);
}

TEST(PgFailure, AnotherTimeMayDoOrNot) {
  EXPECT_EQ(code_of(PgFailure::kUnavailable), ErrorCode::kStoreUnavailable);
  EXPECT_EQ(code_of(PgFailure::kContention), ErrorCode::kStoreUnavailable);
  EXPECT_EQ(code_of(PgFailure::kStatement), ErrorCode::kInternal);
  EXPECT_EQ(code_of(PgFailure::kData), ErrorCode::kInternal);
}

TEST(PgError, ItsOwnWordsAreForThoseWhoMayReadRows) {
  const PgError refused{PgFailure::kData, "22P02",
                        "invalid input syntax for type uuid: \"secret\""};
  EXPECT_EQ(error_of(refused, "reading").message,
            "reading: invalid input syntax for type uuid: \"secret\"");
  EXPECT_EQ(message_without_values(refused), "Postgres refused a query (SQLSTATE 22P02)");
  EXPECT_EQ(
      message_without_values({PgFailure::kUnavailable, "", "the connection to Postgres was lost"}),
      "the connection to Postgres was lost");
}

TEST(PgError, SaysWhatAMissingTableTakes) {
  EXPECT_EQ(message_without_values({PgFailure::kStatement, "42P01", "relation \"calls\" does…"}),
            "the database is not migrated: run `toolway migrate`");
}

TEST(PgError, TellsAMissingTableFromOtherMistakesOfAStatement) {
  EXPECT_TRUE(is_missing_table({PgFailure::kStatement, "42P01", ""}));
  EXPECT_FALSE(is_missing_table({PgFailure::kStatement, "42703", ""}));
}

}  // namespace
}  // namespace toolway::persistence::postgres
