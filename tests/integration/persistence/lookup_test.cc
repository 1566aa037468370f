#include "persistence/store/lookup.h"

#include "proto/toolway/v1/control.pb.h"
#include "tests/integration/persistence/fleet_fixture.h"

namespace toolway::persistence {
namespace {

class Lookup : public FleetFixture {
 protected:
  void SetUp() override {
    FleetFixture::SetUp();
    auto served = store::serve_lookups(*bus_, clock_, {.postgres_url = url_});
    ASSERT_TRUE(served) << served.error().message;
    lookup_ = std::move(*served);
    asker_ = connect();
  }

  Result<v1::LookupAnswer> ask(const std::string& call_id) {
    v1::LookupRequest request;
    request.set_call_id(call_id);
    auto answered = bus::answer_of<std::string>([&](auto handler) {
      asker_->request(std::string(proto::kLookupSubject), request.SerializeAsString(), handler);
    });
    if (!answered) return fail(answered.error());
    v1::LookupAnswer answer;
    EXPECT_TRUE(answer.ParseFromString(*answered));
    return answer;
  }

  std::unique_ptr<store::LookupService> lookup_;
  std::unique_ptr<bus::Bus> asker_;
};

TEST_F(Lookup, TellsTheLastEventOfACall) {
  Script script(clock_);
  const auto queued = script.call();
  const auto running = script.call();
  script.started(running, 1);
  const auto alive = script.alive(running, 2);
  const auto done = script.call();
  const auto completed = script.completed(done, 1);
  script.started(done, 2);  // recorded later, and yet a completion is the last
  publish(script);
  {
    const auto collector = collect(*bus_);
    ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, script.entries.size()));
  }
  const auto before = clock_.wall();
  auto answer = ask(queued.call_id());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->known());
  EXPECT_EQ(answer->last_event(), "");
  EXPECT_GE(answer->recorded_until_us(), to_unix_us(before));

  answer = ask(running.call_id());
  ASSERT_TRUE(answer) << answer.error().message;
  auto event = proto::decode_event(answer->last_event());
  ASSERT_TRUE(event);
  EXPECT_TRUE(event->has_alive());
  EXPECT_EQ(event->seq(), 2U);
  EXPECT_EQ(event->time_us(), alive.time_us());
  EXPECT_EQ(answer->sequence(), 2U);
  EXPECT_NE(answer->incarnation(), 0);

  answer = ask(done.call_id());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->last_event(), proto::encode(completed));

  answer = ask(CallId::make(clock_.wall()).text());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_FALSE(answer->known());
}

TEST_F(Lookup, PromisesNoMoreThanWhatIsRecorded) {
  Script script(clock_);
  const auto call = script.call();
  publish(script);
  const auto answer = ask(call.call_id());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_FALSE(answer->known());
  const auto stored = bus::answer_of<bus::StoredMessage>([&](auto handler) {
    bus_->next_message(proto::kCallsStream, ">", 1, bus::ReadFrom::kLeader, handler);
  });
  ASSERT_TRUE(stored);
  EXPECT_EQ(answer->recorded_until_us(), to_unix_us(stored->stored_at));
}

TEST_F(Lookup, SaysNothingToWhatItCannotRead) {
  EXPECT_FALSE(ask("nonsense"));
  EXPECT_TRUE(ask(CallId::make(clock_.wall()).text()));
}

}  // namespace
}  // namespace toolway::persistence
