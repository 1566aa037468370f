#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/contract/persistence/store_contract.h"

namespace toolway::test {
namespace {

/// The ids of a user's calls that fit, page by page; `pages` counts them.
std::vector<std::string> ids_of(persistence::store::StoreReader& store,
                                const persistence::store::CallFilter& filter,
                                std::size_t rows = 100, int* pages = nullptr) {
  std::vector<std::string> ids;
  std::optional<CallId> before;
  for (bool more = true; more;) {
    const auto page = store.calls_of_user(filter, before, rows);
    EXPECT_TRUE(page) << page.error().message;
    if (!page) break;
    EXPECT_LE(page->size(), rows);
    for (const auto& call : *page) ids.push_back(call.call_id);
    more = page->more;
    if (more)
      before = *CallId::parse(page->looked_to.empty() ? page->back().call_id : page->looked_to);
    if (pages != nullptr) ++*pages;
  }
  return ids;
}

class UserCallsContract : public StoreReaderContract {};

TEST_P(UserCallsContract, PagesTheCallsOfAUserOverAllSessionsNewestFirst) {
  Script first(clock_);
  Script second(clock_);
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(first.call().call_id());
    ids.push_back(second.call().call_id());
  }
  std::sort(ids.rbegin(), ids.rend());
  write(first);
  write(second);
  int pages = 0;
  EXPECT_EQ(ids_of(store(), {.tenant_id = {}, .user_id = "ann"}, 4, &pages), ids);
  EXPECT_EQ(pages, 2);
  EXPECT_EQ(ids_of(store(), {.tenant_id = {}, .user_id = "bea"}), std::vector<std::string>());
  EXPECT_EQ(ids_of(store(), {.tenant_id = "other", .user_id = "ann"}), std::vector<std::string>());
  const auto of_second =
      ids_of(store(), {.tenant_id = {}, .user_id = "ann", .session = second.session});
  EXPECT_EQ(of_second.size(), 3U);
  EXPECT_EQ(ids_of(store(), {.tenant_id = {}, .user_id = "bea", .session = second.session}),
            std::vector<std::string>())
      << "a session's key alone opens nothing";
}

/// Calls that differ in everything that a filter asks for.
class CallFilterContract : public StoreReaderContract {
 protected:
  void SetUp() override {
    StoreReaderContract::SetUp();
    Script script(clock_);
    queued_ = script.call().call_id();
    const auto running = script.call();
    script.started(running);
    running_ = running.call_id();
    const auto done = script.call();
    script.completed(done, 1);
    done_ = done.call_id();
    failed_ = end(script, v1::OUTCOME_FAILED, "card_declined", std::chrono::milliseconds(1500), 1);
    retried_ = end(script, v1::OUTCOME_SUCCEEDED, "", std::chrono::milliseconds(200), 2);
    again_ = script.call().call_id();
    auto started = script.event(find(script, again_), 1);
    started.set_attempt(3);
    started.mutable_started()->set_started_at_us(started.time_us());
    script.publish(started);
    write(script);
  }

  static v1::CallRequest find(const Script& script, const std::string& id) {
    for (const auto& entry : script.entries) {
      auto call = proto::decode_call(entry.payload);
      if (entry.source == Source::kCalls && call && call->call_id() == id) return *call;
    }
    ADD_FAILURE() << id;
    return {};
  }

  std::string end(Script& script, v1::Outcome outcome, const std::string& code,
                  std::chrono::microseconds ran, unsigned attempt) {
    auto event = script.event(script.call(), 1);
    event.set_attempt(attempt);
    auto& completed = *event.mutable_completed();
    completed.set_outcome(outcome);
    if (!code.empty()) completed.mutable_error()->set_code(code);
    completed.set_started_at_us(event.time_us());
    event.set_time_us(event.time_us() + ran.count());
    script.publish(event);
    return event.call_id();
  }

  std::vector<std::string> found(const std::function<void(persistence::store::CallFilter&)>& set) {
    persistence::store::CallFilter filter{.tenant_id = {}, .user_id = "ann"};
    set(filter);
    auto ids = ids_of(store(), filter);
    filter.user_id = "bea";
    EXPECT_TRUE(ids_of(store(), filter).empty()) << "another user's";
    return ids;
  }
  /// Newest first.
  static std::vector<std::string> ids(std::vector<std::string> some) {
    std::sort(some.rbegin(), some.rend());
    return some;
  }

  std::string queued_, running_, done_, failed_, retried_, again_;
};

TEST_P(CallFilterContract, ByState) {
  using persistence::store::CallState;
  EXPECT_EQ(found([](auto& f) { f.state = CallState::kQueued; }), ids({queued_}));
  EXPECT_EQ(found([](auto& f) { f.state = CallState::kRunning; }), ids({running_, again_}));
  EXPECT_EQ(found([](auto& f) { f.state = CallState::kCompleted; }),
            ids({done_, failed_, retried_}));
}

TEST_P(CallFilterContract, ByToolAndNamespace) {
  EXPECT_EQ(found([](auto& f) { f.tool = "now"; }).size(), 6U);
  EXPECT_EQ(found([](auto& f) { f.tool = "then"; }).size(), 0U);
  EXPECT_EQ(found([](auto& f) { f.namespace_ = "time"; }).size(), 6U);
  EXPECT_EQ(found([](auto& f) {
              f.tool = "now";
              f.namespace_ = "space";
            }).size(),
            0U);
}

TEST_P(CallFilterContract, ByHowTheyEnded) {
  EXPECT_EQ(found([](auto& f) { f.outcome = v1::OUTCOME_FAILED; }), ids({failed_}));
  EXPECT_EQ(found([](auto& f) { f.outcome = v1::OUTCOME_SUCCEEDED; }), ids({done_, retried_}));
  EXPECT_EQ(found([](auto& f) { f.outcome = v1::OUTCOME_LOST; }), ids({}));
  EXPECT_EQ(found([](auto& f) { f.error_code = "card_declined"; }), ids({failed_}));
  EXPECT_EQ(found([](auto& f) { f.error_code = "card"; }), ids({}));
  EXPECT_EQ(found([](auto& f) {
              f.error_code = "card_declined";
              f.tool = "then";
            }),
            ids({}));
}

TEST_P(CallFilterContract, ByHowLongTheyRan) {
  using std::chrono::milliseconds;
  EXPECT_EQ(found([](auto& f) { f.min_ran = milliseconds(1500); }), ids({failed_}));
  EXPECT_EQ(found([](auto& f) { f.min_ran = milliseconds(200); }), ids({failed_, retried_}));
  EXPECT_EQ(found([](auto& f) { f.max_ran = milliseconds(200); }), ids({done_, retried_}));
  EXPECT_EQ(found([](auto& f) {
              f.min_ran = milliseconds(100);
              f.max_ran = milliseconds(1000);
            }),
            ids({retried_}));
}

TEST_P(CallFilterContract, ByAttempts) {
  EXPECT_EQ(found([](auto& f) { f.attempts = 1; }),
            ids({running_, done_, failed_, retried_, again_}));
  EXPECT_EQ(found([](auto& f) { f.attempts = 2; }), ids({retried_, again_}));
  EXPECT_EQ(found([](auto& f) { f.attempts = 3; }), ids({again_}));
}

TEST_P(CallFilterContract, ByTime) {
  const auto made_at = [](const std::string& id) { return CallId::parse(id)->made_at(); };
  const auto since = made_at(failed_);
  const auto expected = [&](auto fits) {
    std::vector<std::string> all{queued_, running_, done_, failed_, retried_, again_};
    std::erase_if(all, [&](const auto& id) { return !fits(made_at(id)); });
    return ids(std::move(all));
  };
  EXPECT_EQ(found([&](auto& f) { f.since = since; }),
            expected([&](WallTime made) { return made >= since; }));
  EXPECT_EQ(found([&](auto& f) { f.until = since; }),
            expected([&](WallTime made) { return made < since; }));
}

INSTANTIATE_TEST_SUITE_P(Stores, UserCallsContract, kImplementations, name_of);
INSTANTIATE_TEST_SUITE_P(Stores, CallFilterContract, kImplementations, name_of);

}  // namespace
}  // namespace toolway::test
