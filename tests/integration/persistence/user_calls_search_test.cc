// A search of a user's calls among more than one statement may look at.
#include <algorithm>

#include "persistence/store/call_search.h"
#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

using store::CallFilter;
using store::CallState;
using store::kMaxLooks;

class UserCallsSearch : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
    // The only call that has not ended, and after it more than are looked at.
    Script script(clock_);
    oldest_ = script.call().call_id();
    collector::BatchWriter writer(url_, clock_);
    EXPECT_TRUE(write_all(writer, script.messages()).dead.empty());
    const auto ids = fmt::format(
        "SELECT (lpad(to_hex({}), 12, '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid AS id, i "
        "FROM generate_series(1, {}) i",
        to_unix_us(clock_.wall()) / 1000 + 1, kNewer);
    ASSERT_EQ(query("INSERT INTO calls (call_id, user_id, session_key, session_id, namespace, "
                    "tool, multi_step, pool, submitted_at, incarnation, sequence, request) "
                    "SELECT id, 'ann', id, 's', 'time', 'now', false, 'native', now(), 0, i, '' "
                    "FROM (" +
                    ids + ") t"),
              "");
    ASSERT_EQ(query("INSERT INTO completions (call_id, session_key, incarnation, sequence, "
                    "outcome, attempt, seq, started_at, completed_at, event) "
                    "SELECT id, id, 0, i, 'succeeded', 1, 1, now(), now(), '' FROM (" +
                    ids + ") t"),
              "");
  }

  static constexpr std::size_t kNewer = kMaxLooks + 1000;
  std::string oldest_;
};

TEST_F(UserCallsSearch, EndsASearchAtItsLimitAndTheNextContinuesThere) {
  const auto store = reader();
  CallFilter filter{.tenant_id = {}, .user_id = "ann"};
  filter.state = CallState::kQueued;
  auto page = store->calls_of_user(filter, std::nullopt, 10);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->size(), 0U);
  ASSERT_TRUE(page->more) << "it has not looked at all of them";
  const auto looked_to = CallId::parse(page->looked_to);
  ASSERT_TRUE(looked_to);
  EXPECT_EQ(query("SELECT count(*) FROM calls WHERE call_id >= '" + looked_to->text() + "'"),
            std::to_string(kMaxLooks));
  page = store->calls_of_user(filter, *looked_to, 10);
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->size(), 1U);
  EXPECT_EQ(page->front().call_id, oldest_);
  EXPECT_FALSE(page->more);
}

TEST_F(UserCallsSearch, ContinuesAlsoWhenTheLastCallItLookedAtFits) {
  // By its number in the stream, since the newest has the highest.
  const auto sequence = std::to_string(kNewer - kMaxLooks + 1);
  EXPECT_EQ(query("DELETE FROM completions WHERE sequence = " + sequence), "");
  EXPECT_EQ(query("UPDATE calls SET request = (SELECT request FROM calls WHERE call_id = '" +
                  oldest_ + "') WHERE session_id = 's' AND sequence = " + sequence),
            "");
  CallFilter filter{.tenant_id = {}, .user_id = "ann"};
  filter.state = CallState::kQueued;
  auto page = reader()->calls_of_user(filter, std::nullopt, 10);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->size(), 1U);
  ASSERT_TRUE(page->more) << "older ones were not looked at";
  page = reader()->calls_of_user(filter, *CallId::parse(page->looked_to), 10);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->size(), 1U);
  EXPECT_FALSE(page->more);
}

TEST_F(UserCallsSearch, ReadsOnlyTheIndexOfWhatIsRare) {
  EXPECT_EQ(query("ANALYZE calls; ANALYZE completions"), "");
  const auto plan = [&](const CallFilter& filter) {
    const auto statement = store::search_statement(filter, std::nullopt, 10);
    auto sql = statement.sql;
    for (std::size_t i = statement.parameters.size(); i > 0; --i) {
      const auto name = fmt::format("${}", i);
      for (auto at = sql.find(name); at != std::string::npos; at = sql.find(name))
        sql.replace(at, name.size(), "'" + *statement.parameters[i - 1].text() + "'");
    }
    return query("EXPLAIN " + sql);
  };
  CallFilter filter{.tenant_id = {}, .user_id = "ann"};
  filter.tool = "refund";
  auto text = plan(filter);
  EXPECT_NE(text.find("tenant_id_user_id_tool_call_id_idx"), std::string::npos) << text;
  filter = {.tenant_id = {}, .user_id = "bea"};
  text = plan(filter);
  EXPECT_NE(text.find("tenant_id_user_id_call_id_idx"), std::string::npos) << text;
  filter.error_code = "card_declined";
  text = plan(filter);
  EXPECT_NE(text.find("error_code_call_id_idx"), std::string::npos) << text;
}

}  // namespace
}  // namespace toolway::persistence
