// Pages end with what their rows weigh, and are complete one after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

constexpr std::size_t kLarge = 400 * 1024;
constexpr int kCalls = 30;

/// JSON text that does not compress, and one that does: the database stores both shorter or not.
std::string large_json(int seed) {
  if (seed % 2 == 0) return "{\"text\":\"" + std::string(kLarge, 'a') + "\"}";
  std::mt19937 random(static_cast<unsigned>(seed));
  std::string text(kLarge, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % 26);
  return "{\"text\":\"" + text + "\"}";
}

class PageQueryTest : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
    Script script(clock_);
    script.session = session_;
    for (int i = 0; i < kCalls; ++i) {
      const auto call = script.call(large_json(i));
      script.started(call);
      script.completed(call, 2, large_json(i + 1));
      ids_.insert(call.call_id());
    }
    collector::BatchWriter writer(url_, clock_);
    EXPECT_TRUE(write_all(writer, script.messages()).dead.empty());
  }
  template <typename T>
  static std::size_t weight(const store::Page<T>& page) {
    // One row may be over the bound.
    EXPECT_LE(page.bytes, store::kMaxPageBytes + 3 * kLarge);
    return page.size();
  }

  SessionKey session_ = SessionKey::make();
  std::set<std::string> ids_;
};

TEST_F(PageQueryTest, PagesOfCallsEndWithTheirBytesAndAreComplete) {
  const auto store = reader();
  std::set<std::string> seen;
  std::optional<CallId> before;
  int pages = 0;
  for (bool more = true; more; ++pages) {
    const auto page = store->calls_of_session(session_, store::CallState::kAny, before, 1000);
    ASSERT_TRUE(page) << page.error().message;
    ASSERT_GT(weight(*page), 0U);
    for (const auto& call : *page) {
      EXPECT_TRUE(seen.insert(call.call_id).second) << "twice";
      EXPECT_GT(call.arguments.size(), kLarge);
      EXPECT_GT(call.completion->completed().result().size(), kLarge);
    }
    before = *CallId::parse(page->back().call_id);
    more = page->more;
  }
  EXPECT_EQ(seen, ids_);
  EXPECT_GE(pages, 5);  // 24 MB, 4 MiB each
}

TEST_F(PageQueryTest, PagesOfTheMailboxEndWithTheirBytesAndAreComplete) {
  const auto store = reader();
  std::set<std::string> seen;
  store::MailboxCursor after;
  int pages = 0;
  for (bool more = true; more; ++pages) {
    const auto page = store->mailbox(session_, after, 1000, store::Parents::kAny);
    ASSERT_TRUE(page) << page.error().message;
    ASSERT_GT(weight(*page), 0U);
    for (const auto& entry : *page) EXPECT_TRUE(seen.insert(entry.call.call_id).second);
    after = page->back().cursor;
    more = page->more;
  }
  EXPECT_EQ(seen, ids_);
  EXPECT_GE(pages, 5);
}

TEST_F(PageQueryTest, PagesOfEventsEndWithTheBytesThatAreAskedFor) {
  const auto store = reader();
  store::EventPosition after;
  std::size_t events = 0;
  for (bool more = true; more;) {
    const auto page = store->events_of_session(session_, after, {64, 64 * 1024});
    ASSERT_TRUE(page) << page.error().message;
    ASSERT_GT(page->size(), 0U);
    EXPECT_LE(page->size(), 3U) << "at most one event with a result";
    events += page->size();
    after = page->back().position;
    more = page->more;
  }
  EXPECT_EQ(events, 2U * kCalls);
}

TEST_F(PageQueryTest, ALimitOfRowsIsExact) {
  const auto store = reader();
  const auto page =
      store->calls_of_session(session_, store::CallState::kCompleted, std::nullopt, 2);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->size(), 2U);
  EXPECT_TRUE(page->more);
  const auto none = store->calls_of_session(session_, store::CallState::kQueued, std::nullopt, 2);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  EXPECT_FALSE(none->more);
}

TEST_F(PageQueryTest, PagesOfManySmallRowsAreReadInStepsThatJoin) {
  const auto session = SessionKey::make();
  Script script(clock_);
  script.session = session;
  std::set<std::string> ids;
  for (int i = 0; i < 300; ++i) ids.insert(script.call().call_id());
  collector::BatchWriter writer(url_, clock_);
  EXPECT_TRUE(write_all(writer, script.messages()).dead.empty());
  const auto store = reader();
  const auto all = store->calls_of_session(session, store::CallState::kAny, std::nullopt, 300);
  ASSERT_TRUE(all) << all.error().message;
  std::set<std::string> seen;
  for (const auto& call : *all) EXPECT_TRUE(seen.insert(call.call_id).second);
  EXPECT_EQ(seen, ids);
  EXPECT_FALSE(all->more);
  EXPECT_TRUE(std::is_sorted(all->rbegin(), all->rend(),
                             [](const auto& a, const auto& b) { return a.call_id < b.call_id; }));
  const auto part = store->calls_of_session(session, store::CallState::kAny, std::nullopt, 200);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->size(), 200U);
  EXPECT_TRUE(part->more);
}

}  // namespace
}  // namespace toolway::persistence
