#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <thread>

#include "persistence/specs/postgres_spec_source.h"
#include "persistence/specs/spec_table.h"
#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

using Outcomes = std::vector<specs::PutOutcome>;

specs::PutSpec spec(const std::string& name, const std::string& description = "first",
                    bool enabled = true) {
  return {{.name = name,
           .ns = "t",
           .description = description,
           .input_schema = {{"type", "object"}, {"title", "z, a"}},
           .kind = tools::model::Kind::kPython,
           .pool = "python",
           .version = "7",
           .implementation = {{"module", "m"}, {"function_name", "f"}}},
          enabled};
}

class SpecTableTest : public StoreFixture {
 protected:
  Outcomes put(const std::vector<specs::PutSpec>& specs) {
    auto table = specs::SpecTable::open(url_);
    EXPECT_TRUE(table);
    auto outcomes = table->put(specs);
    EXPECT_TRUE(outcomes) << outcomes.error().message;
    return outcomes ? *outcomes : Outcomes();
  }
  Result<void> remove(const std::vector<std::string>& names) {
    return specs::SpecTable::open(url_)->remove(names);
  }

  /// `a=first b=second`, `-b` for one that is not enabled.
  std::string look(specs::PostgresSpecSource& source) {
    auto state = source.look({});
    if (!state) return "as before";
    std::string text;
    for (const auto& part : state->parts) {
      const auto& offered = part->specs.at(0);
      text += (text.empty() ? "" : " ") + std::string(offered.enabled ? "" : "-") +
              offered.spec->name + "=" + offered.spec->description;
    }
    found_ = std::move(state->found);
    return text + (state->away.empty() ? "" : " away: " + state->away);
  }

  std::vector<toolway::Mistake> found_;
};

TEST_F(SpecTableTest, KeepsEveryVersionAndListsTheCurrentOnes) {
  migrate_now();
  EXPECT_EQ(put({spec("a"), spec("b")}),
            (Outcomes{specs::PutOutcome::kAdded, specs::PutOutcome::kAdded}));
  EXPECT_EQ(put({spec("b", "second"), spec("a"), spec("c")}),
            (Outcomes{specs::PutOutcome::kChanged, specs::PutOutcome::kUnchanged,
                      specs::PutOutcome::kAdded}));
  EXPECT_EQ(put({spec("c", "first", false)}), Outcomes{specs::PutOutcome::kChanged});
  ASSERT_TRUE(remove({"t.a", "t.a"}));
  EXPECT_EQ(put({spec("a")}), Outcomes{specs::PutOutcome::kAdded});
  EXPECT_EQ(
      query(
          "SELECT name, removed, enabled, document->>'description' FROM tool_specs ORDER BY revision"),
      "a|f|t|first\nb|f|t|first\nb|f|t|second\nc|f|t|first\nc|f|f|first\na|t|t|\na|f|t|first");
  const auto listed = specs::SpecTable::open(url_)->list();
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->size(), 3U);
  EXPECT_EQ((*listed)[1].name, "b");
  EXPECT_EQ((*listed)[1].version, "7");
  EXPECT_EQ((*listed)[1].kind, "python");
  EXPECT_EQ((*listed)[1].digest, tools::model::digest(spec("b", "second").spec));
  EXPECT_FALSE((*listed)[2].enabled);
  EXPECT_EQ((*listed)[0].created_at.size(), std::string("2026-11-21T12:00:00.000000Z").size());
}

TEST_F(SpecTableTest, RemovesAllOrNothingAndSuggestsNames) {
  migrate_now();
  put({spec("search"), spec("b")});
  const auto refused = remove({"t.b", "t.serch"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnknownTool);
  EXPECT_EQ(refused.error().message,
            "the database has no spec 't.serch' (did you mean 't.search'?); nothing was removed");
  EXPECT_EQ(query("SELECT count(*) FROM tool_specs_current"), "2");
}

TEST_F(SpecTableTest, SaysWhatToDoWithoutTheTable) {
  const auto listed = specs::SpecTable::open(url_)->list();
  ASSERT_FALSE(listed);
  EXPECT_NE(listed.error().message.find("toolway migrate"), std::string::npos)
      << listed.error().message;
  specs::PostgresSpecSource source(url_);
  EXPECT_NE(look(source).find("away: the database is not up to date: run `toolway migrate`"),
            std::string::npos);
  EXPECT_EQ(look(source), "as before");
  migrate_now();
  EXPECT_EQ(look(source), "");
}

TEST_F(SpecTableTest, ASourceReadsWhatIsNew) {
  migrate_now();
  specs::PostgresSpecSource source(url_);
  EXPECT_EQ(look(source), "");
  EXPECT_EQ(look(source), "as before");
  put({spec("b"), spec("a")});
  EXPECT_EQ(look(source), "a=first b=first");
  put({spec("b", "second"), spec("a", "first", false)});
  EXPECT_EQ(look(source), "-a=first b=second");
  EXPECT_EQ(look(source), "as before");
  ASSERT_TRUE(remove({"t.a"}));
  EXPECT_EQ(look(source), "b=second");
  // What was put comes back with its digest.
  const auto state = specs::PostgresSpecSource(url_).look({});
  EXPECT_EQ(state->parts.at(0)->specs.at(0).digest, tools::model::digest(spec("b", "second").spec));
}

TEST_F(SpecTableTest, ARowThatCannotBeReadKeepsItsLastGoodVersion) {
  migrate_now();
  put({spec("a"), spec("b")});
  specs::PostgresSpecSource source(url_);
  look(source);
  query(
      "INSERT INTO tool_specs (namespace, name, digest, document) VALUES ('t', 'a', 'x', '{\"name\": 7}')");
  put({spec("b", "second")});
  EXPECT_EQ(look(source), "a=first b=second");
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_EQ(found_[0].place, "tool_specs, revision 3");
  put({spec("a", "third")});
  EXPECT_EQ(look(source), "a=third b=second");
  EXPECT_TRUE(found_.empty());
}

TEST_F(SpecTableTest, OutlivesPostgres) {
  migrate_now();
  put({spec("a")});
  specs::PostgresSpecSource source(url_);
  look(source);
  cluster_->stop(SIGQUIT);
  EXPECT_EQ(look(source), "a=first away: the connection to Postgres was lost");
  EXPECT_EQ(look(source), "as before");
  ASSERT_TRUE(cluster_->restart());
  EXPECT_EQ(look(source), "a=first");
  EXPECT_EQ(look(source), "as before");
}

// A reader that has seen a revision must have seen all below it, however long
// their transactions took.
TEST_F(SpecTableTest, RevisionsBecomeVisibleInOrder) {
  migrate_now();
  specs::PostgresSpecSource source(url_);
  look(source);
  auto slow = postgres::PgConnection::open(url_);
  ASSERT_TRUE(slow);
  ASSERT_TRUE(slow->execute(
      "BEGIN; INSERT INTO tool_specs (namespace, name, removed) VALUES ('t', 'slow', true)"));
  auto later = std::async(std::launch::async, [this] { return put({spec("later")}); });
  const auto waits = [this] {
    return query(
               "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = "
               "(SELECT oid FROM pg_database WHERE datname = current_database())") == "1";
  };
  while (!waits()) std::this_thread::yield();
  EXPECT_EQ(look(source), "as before");
  ASSERT_TRUE(slow->execute("COMMIT"));
  EXPECT_EQ(later.get(), Outcomes{specs::PutOutcome::kAdded});
  EXPECT_EQ(look(source), "later=first");
  EXPECT_EQ(query("SELECT name FROM tool_specs ORDER BY revision"), "slow\nlater");
}

TEST_F(SpecTableTest, PutsTenThousandAndReadsThem) {
  migrate_now();
  std::vector<specs::PutSpec> specs;
  for (int i = 0; i < 10'000; ++i) specs.push_back(spec("tool_" + std::to_string(i)));
  put(specs);
  specs::PostgresSpecSource source(url_);
  const auto state = source.look({});
  ASSERT_TRUE(state);
  EXPECT_EQ(state->parts.size(), 10'000U);
  specs[77].spec.description = "second";
  const auto outcomes = put(specs);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), specs::PutOutcome::kChanged), 1);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), specs::PutOutcome::kUnchanged), 9'999);
}

}  // namespace
}  // namespace toolway::persistence
