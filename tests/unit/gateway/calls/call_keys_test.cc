#include "gateway/calls/call_keys.h"

#include <gtest/gtest.h>

#include <set>

#include "bus/in_memory_bus.h"
#include "proto/subjects.h"
#include "tests/support/forwarding_bus.h"
#include "tests/support/recording_tracer.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::calls {
namespace {

/// Counts the records that are asked for.
class CountingBus final : public test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void last_message(std::string_view stream, std::string subject, bus::ReadFrom from,
                    bus::MessageHandler handler) override {
    if (stream == proto::kIdempotencyStream) subjects.insert(subject);
    ForwardingBus::last_message(stream, std::move(subject), from, std::move(handler));
  }
  std::set<std::string> subjects;
};

class CallKeysTest : public testing::Test {
 protected:
  CallKeysTest() { EXPECT_TRUE(memory_->provision({.pools = {{"native", 1}}})); }
  KeyContext context() {
    return {.bus = loop_.bus(),
            .registry = registry_,
            .shares = shares_,
            .counters = counters_,
            .tracer = tracer_,
            .clock = clock_,
            .accept_deadline = std::chrono::milliseconds(100)};
  }
  wire::HttpResult<void> look_up(std::span<CallEntry> entries) {
    const KeyContext keys = context();
    return loop_.run(look_up_keys(keys, routed_, session_, "d", entries));
  }

  const std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  CountingBus bus_{*memory_};
  BusLoop loop_{bus_};
  const SystemClock clock_;
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  test::RecordingTracer tracer_;
  CallCounters counters_{*metrics_};
  tools::model::LiveRegistry registry_{*tools::model::Registry::of({})};
  const wire::Target target_ = *wire::Target::parse("/v1/sessions/s/calls");
  const SessionKey session_ = SessionKey::make();
  const wire::Caller caller_{.user_id = "ann"};
  const wire::Request request_{.body = R"({"tool":"t"})", .idempotency_key = "k"};
  KeyShares shares_{{.user_mib = 1}, [] { return 1.0; }};
  const wire::RoutedRequest routed_{request_, target_, caller_, "s"};
};

TEST_F(CallKeysTest, NothingIsReadForACallThatIsRefusedAnyway) {
  std::vector<CallEntry> entries(1000);
  for (std::size_t i = 2; i < entries.size(); ++i)
    entries[i].refused = wire::Problem{.error = {ErrorCode::kInvalidRequest, "not run"}};
  ASSERT_TRUE(look_up(entries));
  EXPECT_EQ(bus_.subjects.size(), 2U);
  for (std::size_t i = 0; i < entries.size(); ++i) EXPECT_EQ(entries[i].key.has_value(), i < 2);
}

TEST_F(CallKeysTest, NothingIsNotedForAUserWhoseShareIsUsed) {
  ASSERT_FALSE(
      shares_.note(wire::owner_name("acme", "ann"), 1024 * 1024 - 200, clock_.monotonic()));
  for (const auto& [tenant, user] :
       {std::pair{"acme", "ann"}, std::pair{"acme", "bob"}, std::pair{"blue", "ann"}}) {
    CallEntry entry;
    entry.plan = PlannedCall{};
    entry.plan->request.set_tenant_id(tenant);
    entry.plan->request.set_user_id(user);
    entry.key =
        CallKey{.bucket_key = std::string(tenant) + user, .payload_sha256 = "d", .entry = {}};
    const KeyContext keys = context();
    const auto claimed = loop_.run(claim(keys, entry));
    EXPECT_EQ(claimed.has_value(), std::string(tenant) + user != "acmeann") << tenant << user;
    EXPECT_EQ(entry.key->entry.revision != 0, claimed.has_value());
    if (!claimed) {
      EXPECT_EQ(claimed.error().error.code, ErrorCode::kTooManyCalls);
    }
  }
}

}  // namespace
}  // namespace toolway::gateway::calls
