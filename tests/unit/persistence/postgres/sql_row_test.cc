#include "persistence/postgres/sql_row.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "persistence/postgres/sql_parameter.h"
#include "tests/support/sql_rows.h"

namespace toolway::persistence::postgres {
namespace {

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(SqlRow, GivesValuesByNameAndType) {
  const auto row = test::sql_row(
      {{"number", std::int64_t{7}}, {"text", "seven"}, {"odd", true}, {"nothing", {}}});
  EXPECT_EQ(row.get<std::int64_t>("number"), 7);
  EXPECT_EQ(row.get<std::string>("text"), "seven");
  EXPECT_TRUE(row.get<bool>("odd"));
  EXPECT_EQ(row.nullable<std::int64_t>("number"), 7);
  EXPECT_EQ(row.nullable<std::int64_t>("nothing"), std::nullopt);
}

TEST(SqlRow, RefusesWhatIsNotThereOrOfAnotherType) {
  const auto row =
      test::sql_row({{"number", std::int64_t{7}}, {"nothing", {}}, {"event", "a"}, {"event", "b"}});
  EXPECT_EQ(refusal([&] { row.get<bool>("number"); }),
            "a query's column 'number' has another type");
  EXPECT_EQ(refusal([&] { row.get<std::uint64_t>("number"); }),
            "a query's column 'number' has another type");
  EXPECT_EQ(refusal([&] { row.nullable<std::string>("number"); }),
            "a query's column 'number' has another type");
  EXPECT_EQ(refusal([&] { row.get<bool>("nothing"); }), "a query's column 'nothing' is NULL");
  EXPECT_EQ(refusal([&] { row.get<bool>("numbers"); }), "a query's column 'numbers' is not there");
  EXPECT_EQ(refusal([&] { row.nullable<bool>("numbers"); }),
            "a query's column 'numbers' is not there");
  EXPECT_EQ(refusal([&] { row.get<std::string>("event"); }),
            "a query's column 'event' is there more than once");
}

TEST(SqlParameter, HasTheTextThatPostgresReads) {
  EXPECT_EQ(SqlParameter(std::nullopt).text(), std::nullopt);
  EXPECT_EQ(SqlParameter(-7).text(), "-7");
  EXPECT_EQ(SqlParameter(UINT64_MAX).text(), "18446744073709551615");
  EXPECT_EQ(SqlParameter("").text(), "");
  EXPECT_EQ(SqlParameter::bytes(std::string("\0\xff"
                                            "A",
                                            3))
                .text(),
            "\\x00ff41");
  EXPECT_EQ(SqlParameter::array(std::vector<int>{}).text(), "{}");
  EXPECT_EQ(SqlParameter::array(std::vector<int>{1, -2}).text(), R"({"1","-2"})");
  EXPECT_EQ(SqlParameter::array(std::vector<std::string>{"a,b", R"(c"\)"}).text(),
            R"({"a,b","c\"\\"})");
}

}  // namespace
}  // namespace toolway::persistence::postgres
