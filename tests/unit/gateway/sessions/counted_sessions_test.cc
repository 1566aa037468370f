// What a gateway forgets of sessions does not change how many their user has.
#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "bus/key_value.h"
#include "gateway/sessions/sessions.h"
#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::sessions {
namespace {

class CountedSessionsTest : public testing::Test {
 protected:
  CountedSessionsTest() { EXPECT_TRUE(bus_->provision({.pools = {{"native", 1}}})); }

  v1::SessionRecord record(const std::string& session_id, const std::string& user = "a") {
    const SessionRequest request{.session_id = session_id,
                                 .namespaces = {"*"},
                                 .metadata = R"({"x":")" + std::string(16'000, 'x') + R"("})"};
    return new_session(request, {.user_id = user}, SessionKey::make(), clock_.wall());
  }
  /// Writes it as another gateway does.
  std::uint64_t put(const v1::SessionRecord& record, std::uint64_t revision = 0) {
    auto put = loop_.run(loop_.bus().put_session(
        proto::session_bucket_key("default", record.user_id(), record.session_id()),
        proto::encode(record), revision));
    EXPECT_TRUE(put);
    return put.value_or(0);
  }
  bool full(const Sessions& sessions) { return !sessions.admit_restored({.user_id = "a"}); }
  std::unique_ptr<Sessions> sessions(std::uint64_t most) {
    return std::make_unique<Sessions>(
        *bus_, loop_.bus(), store_, loop_.io_post(), *metrics_, clock_,
        SessionsOptions{.caps = {.open = most}, .max_bytes = 100'000});
  }

  const std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
  test::MemoryStore recorded_{*bus_};
  BusLoop loop_{*bus_};
  const SystemClock clock_;
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  loop::AsyncStore store_{recorded_, clock_, loop_.io_post(), 1};
};

TEST_F(CountedSessionsTest, AUserOfAnotherTenantIsAnotherUser) {
  const auto all = sessions(1);
  const wire::Caller ours{.user_id = "a"};
  const wire::Caller theirs{.tenant_id = "acme", .user_id = "a"};
  const auto digest = [](std::span<const std::string>,
                         std::string_view) -> loop::Task<Result<std::string>> {
    co_return std::string("sha256:1");
  };
  const SessionRequest request{.session_id = "s", .namespaces = {"*"}, .metadata = "{}"};
  const auto opened = loop_.run(all->open(request, theirs, digest));
  ASSERT_TRUE(opened);
  EXPECT_EQ("acme", opened->session->record.tenant_id());
  for (const bool watched : {false, true}) {
    if (watched) all->watch();
    const auto unknown = loop_.run(all->find(ours, "s"));
    ASSERT_FALSE(unknown) << watched;
    EXPECT_EQ(ErrorCode::kUnknownSession, unknown.error().error.code);
    const auto found = loop_.run(all->find(theirs, "s"));
    ASSERT_TRUE(found) << watched;
    EXPECT_EQ(opened->session->key, (*found)->key);
  }
  EXPECT_FALSE(all->admit_restored(theirs));
  EXPECT_TRUE(all->admit_restored(ours));
  EXPECT_EQ(1U, all->used_last(theirs, 9).size());
  EXPECT_TRUE(all->used_last(ours, 9).empty());
  const auto own = loop_.run(all->open(request, ours, digest));
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->created);
  EXPECT_NE(opened->session->key, own->session->key);
}

TEST_F(CountedSessionsTest, OnesThatAreForgottenForLackOfMemoryCount) {
  const auto all = sessions(20);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(full(*all)) << i;
    const auto made = record("s" + std::to_string(i));
    all->learn({"", proto::encode(made), static_cast<std::uint64_t>(i + 1)});
  }
  EXPECT_LT(all->bytes(), 110'000U);  // of three or so
  EXPECT_TRUE(full(*all));
  EXPECT_TRUE(all->admit_restored({.user_id = "b"}));
}

TEST_F(CountedSessionsTest, OnesThatAreForgottenWithTheConnectionCountUntilTheBucketSaysOtherwise) {
  const auto all = sessions(2);
  auto stays = record("stays");
  auto goes = record("goes");
  const auto stays_at = put(stays);
  const auto goes_at = put(goes);
  all->learn({"", proto::encode(stays), stays_at});
  all->learn({"", proto::encode(goes), goes_at});
  EXPECT_TRUE(full(*all));
  // While this gateway does not see it, one is closed.
  goes.set_state(v1::SessionRecord::STATE_CLOSED);
  put(goes, goes_at);
  all->connection_changed(bus::Connection::kDisconnected);
  EXPECT_TRUE(full(*all));
  all->connection_changed(bus::Connection::kConnected);
  EXPECT_TRUE(full(*all));
  loop_.run_until([&] { return !full(*all); });
  // And one is opened.
  put(record("next"));
  all->connection_changed(bus::Connection::kGap);
  loop_.run_until([&] { return full(*all); });
}

TEST_F(CountedSessionsTest, AGatewayThatStartsCountsWhatThereIs) {
  put(record("one"));
  put(record("two"));
  put(record("other", "b"));
  const auto all = sessions(2);
  EXPECT_FALSE(full(*all));
  all->watch();
  loop_.run_until([&] { return full(*all); });
  EXPECT_TRUE(all->admit_restored({.user_id = "b"}));
}

}  // namespace
}  // namespace toolway::gateway::sessions
