// History, rollback and candidates in the table of specs.
#include <gtest/gtest.h>

#include "persistence/specs/postgres_spec_source.h"
#include "persistence/specs/spec_history.h"
#include "persistence/specs/spec_table.h"
#include "tests/integration/persistence/store_fixture.h"
#include "tools/executors/kind_types.h"

namespace toolway::persistence {
namespace {

specs::PutSpec buy(const std::string& version, unsigned rollout = 0) {
  return {{.name = "buy",
           .ns = "shop",
           .description = "v" + version,
           .input_schema = {{"type", "object"}},
           .kind = tools::model::Kind::kPython,
           .pool = "python",
           .version = version,
           .implementation = {{"module", "m"}, {"function_name", "f"}}},
          true,
          rollout};
}

Result<void> readable(const std::string& document) {
  const auto spec = tools::specs::spec_of_document(document, tools::executors::kind_types());
  return spec ? Result<void>() : fail(spec.error());
}

class SpecHistoryTest : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
    auto table = specs::SpecTable::open(url_);
    ASSERT_TRUE(table) << table.error().message;
    table_.emplace(*std::move(table));
    auto history = specs::SpecHistory::open(url_);
    ASSERT_TRUE(history) << history.error().message;
    history_.emplace(*std::move(history));
  }
  void put(const specs::PutSpec& spec) {
    const auto done = table_->put({&spec, 1}, {.who = "ann", .note = "because"});
    EXPECT_TRUE(done) << done.error().message;
  }
  std::string refusal(const specs::PutSpec& spec) {
    const auto done = table_->put({&spec, 1});
    return done ? "it was put" : done.error().message;
  }
  /// `1 put 1, 2 put 2`: number, what, version.
  std::string history() {
    std::string text;
    const auto changes = history_->of("shop.buy");
    for (const auto& one : *changes) {
      text += (text.empty() ? "" : ", ") + std::to_string(one.number) + " " + one.what + " " +
              one.version + (one.candidate ? " at " + std::to_string(one.rollout) : "");
    }
    return text;
  }
  std::string back(std::optional<std::string> to = {}) {
    const auto done = history_->roll_back("shop.buy", to, readable, {.who = "bob", .note = ""});
    return done ? done->version : done.error().message;
  }
  /// What a gateway would offer: `1`, `1 and 2 at 10`.
  std::string offered(specs::PostgresSpecSource& source) {
    const auto state = source.look({});
    if (!state) return "as before";
    std::string text;
    for (const auto& part : state->parts) {
      const auto& one = part->specs.at(0);
      text += (text.empty() ? "" : " and ") + one.spec->version +
              (one.rollout > 0 ? " at " + std::to_string(one.rollout) : "");
    }
    return text;
  }

  std::optional<specs::SpecTable> table_;
  std::optional<specs::SpecHistory> history_;
};

TEST_F(SpecHistoryTest, EveryChangeIsInTheHistoryAndNoneLeavesIt) {
  put(buy("1"));
  put(buy("2"));
  ASSERT_TRUE(table_->remove(std::vector<std::string>{"shop.buy"}, specs::SpecTable::Which::kAll,
                             {.who = "eve", .note = ""}));
  EXPECT_EQ(history(), "1 put 1, 2 put 2, 3 remove ");
  const auto found = history_->of("shop.buy");
  const auto& changes = *found;
  EXPECT_EQ(changes[0].who, "ann");
  EXPECT_EQ(changes[0].note, "because");
  EXPECT_EQ(changes[2].who, "eve");
  EXPECT_EQ(changes[1].digest, tools::model::digest(buy("2").spec));
  auto connection = postgres::PgConnection::open(url_);
  for (const char* sql :
       {"DELETE FROM tool_specs", "UPDATE tool_specs SET who = 'x'", "TRUNCATE tool_specs"}) {
    const auto done = connection->execute(sql);
    ASSERT_FALSE(done) << sql;
    EXPECT_NE(done.error().message.find("only ever added to"), std::string::npos)
        << done.error().message;
  }
  const auto unknown = history_->of("shop.bui");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message,
            "the database never had a spec 'shop.bui'; did you mean 'shop.buy'?");
}

TEST_F(SpecHistoryTest, RollsBackToTheOneBeforeOrToAnyAndSaysWhyNot) {
  EXPECT_NE(back().find("never had a spec"), std::string::npos);
  put(buy("1"));
  EXPECT_EQ(back(), "'shop.buy' has no earlier version to go back to");
  put(buy("2"));
  put(buy("3"));
  specs::PostgresSpecSource source(url_);
  EXPECT_EQ(offered(source), "3");
  EXPECT_EQ(back(), "2");
  EXPECT_EQ(offered(source), "2");
  EXPECT_EQ(back("1"), "1");
  EXPECT_EQ(back(tools::model::digest(buy("3").spec).substr(0, 15)), "3");
  EXPECT_EQ(back(tools::model::digest(buy("2").spec).substr(7, 8)), "2");
  EXPECT_EQ(back("2"), "version 2 of 'shop.buy' is already in force");
  EXPECT_EQ(back("77"),
            "'shop.buy' has no version 77: `toolway specs history shop.buy` lists them");
  EXPECT_EQ(history(),
            "1 put 1, 2 put 2, 3 put 3, 4 rollback 2, 5 rollback 1, 6 rollback 3, 7 rollback 2");
  // What was removed comes back.
  ASSERT_TRUE(table_->remove(std::vector<std::string>{"shop.buy"}));
  EXPECT_EQ(offered(source), "");
  EXPECT_EQ(back(), "2");
  EXPECT_EQ(offered(source), "2");
}

TEST_F(SpecHistoryTest, RefusesAVersionThatThisBuildCannotRead) {
  query(
      "INSERT INTO tool_specs (namespace, name, digest, document) VALUES ('shop', 'buy', 'sha256:old', '{\"name\": \"buy\", \"kind\": \"gone\"}')");
  put(buy("2"));
  EXPECT_EQ(
      back(),
      "this build can no longer read version 1 of 'shop.buy': spec:1: there is no kind \"gone\"");
  EXPECT_EQ(history(), "1 put , 2 put 2");
}

TEST_F(SpecHistoryTest, ACandidateIsKeptNextToTheStableVersionUntilItIsPromotedOrDropped) {
  EXPECT_NE(refusal(buy("2", 10)).find("has no stable version of 'shop.buy'"), std::string::npos);
  put(buy("1"));
  EXPECT_EQ(refusal(buy("1", 10)),
            "the candidate of 'shop.buy' is the same as its stable version; nothing was put");
  specs::PostgresSpecSource source(url_);
  put(buy("2", 10));
  EXPECT_EQ(offered(source), "1 and 2 at 10");
  put(buy("2", 25));
  EXPECT_EQ(offered(source), "1 and 2 at 25");
  put(buy("2", 25));
  EXPECT_EQ(offered(source), "as before");
  const auto promoted = history_->promote("shop.buy", {.who = "ann", .note = ""});
  ASSERT_TRUE(promoted) << promoted.error().message;
  EXPECT_EQ(*promoted, tools::model::digest(buy("2").spec));
  EXPECT_EQ(offered(source), "2");
  EXPECT_FALSE(history_->promote("shop.buy", {}));
  put(buy("3", 50));
  const std::vector<std::string> name{"shop.buy"};
  ASSERT_TRUE(table_->remove(name, specs::SpecTable::Which::kCandidate));
  EXPECT_EQ(offered(source), "2");
  EXPECT_FALSE(table_->remove(name, specs::SpecTable::Which::kCandidate));
  EXPECT_EQ(
      history(),
      "1 put 1, 2 put 2 at 10, 3 put 2 at 25, 4 promote 2, 5 promote  at 0, 6 put 3 at 50, 7 remove  at 0");
  // With the stable version the candidate goes.
  put(buy("4", 5));
  ASSERT_TRUE(table_->remove(name));
  EXPECT_EQ(offered(source), "");
  EXPECT_TRUE(table_->list()->empty());
}

}  // namespace
}  // namespace toolway::persistence
