// What the store shows of a session's completions.
#include "tests/contract/persistence/store_contract.h"

namespace toolway::test {
namespace {

using persistence::store::MailboxCursor;
using persistence::store::Parents;

class MailboxContract : public StoreReaderContract {};

TEST_P(MailboxContract, ContinuesAMailboxFromItsCursor) {
  Script script(clock_);
  std::vector<std::string> expected;
  for (int i = 0; i < 3; ++i) {
    const auto call = script.call(R"({"n":1})");
    expected.push_back(script.completed(call, 1).call_id());
  }
  write(script);
  Script later(clock_);
  later.session = script.session;
  later.entries.resize(script.entries.size());
  expected.push_back(later.completed(script.call(), 1).call_id());
  later.entries.erase(later.entries.begin(), later.entries.end() - 1);
  write(later);
  std::vector<std::string> read;
  MailboxCursor cursor;
  for (bool more = true; more;) {
    const auto page = store().mailbox(script.session, cursor, 2, Parents::kAny);
    ASSERT_TRUE(page) << page.error().message;
    for (const auto& entry : *page) {
      EXPECT_GT(entry.cursor, cursor);
      cursor = entry.cursor;
      EXPECT_TRUE(entry.call.completion);
      read.push_back(entry.call.call_id);
      // Of the last one only the completion is recorded.
      EXPECT_EQ(entry.call.arguments, read.size() < 4 ? R"({"n":1})" : "");
      EXPECT_EQ(entry.call.session_id, "s1");
    }
    more = page->more;
  }
  EXPECT_EQ(read, expected);
  const auto counts = store().counts(script.session, {});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->unread, 3U);
  EXPECT_EQ(store().counts(script.session, cursor).value().unread, 0U);
}

TEST_P(MailboxContract, LeavesOutOfAMailboxWhatTurnsHaveCalled) {
  const auto turn = CallId::make(clock_.wall()).text();
  Script script(clock_);
  const auto own = script.completed(script.call(), 1).call_id();
  const auto called = script.completed(script.call("{}", turn), 1).call_id();
  const auto later = script.completed(script.call(), 1).call_id();
  write(script);
  const auto ids = [&](Parents parents) {
    std::vector<std::string> found;
    const auto page = store().mailbox(script.session, {}, 10, parents);
    EXPECT_TRUE(page) << page.error().message;
    for (const auto& entry : *page) found.push_back(entry.call.call_id);
    return found;
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids(Parents::kAny), (Ids{own, called, later}));
  EXPECT_EQ(ids(Parents::kNone), (Ids{own, later}));
  EXPECT_EQ(store().call(*CallId::parse(called)).value()->parent_call_id, turn);
  // A completion whose request is not recorded yet: who made the call is not known.
  Script early(clock_);
  early.session = script.session;
  early.entries.resize(script.entries.size());
  early.completed(early.call(), 1);
  early.completed(early.call(), 1);
  early.entries.erase(early.entries.begin(), early.entries.end() - 3);
  write(early);
  EXPECT_EQ(ids(Parents::kAny).size(), 5U);
  EXPECT_EQ(ids(Parents::kNone), (Ids{own, later})) << "not even what follows it";
}

INSTANTIATE_TEST_SUITE_P(Stores, MailboxContract, kImplementations, name_of);

}  // namespace
}  // namespace toolway::test
