#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

/// A worker among others: queues, announcements, the guard.
class CallWorkerFleet : public test::WorkerBench {
 protected:
  CallWorkerFleet() {
    auto heard = [callback = announced_.callback()](bus::Request request) {
      v1::WorkerAnnouncement word;
      EXPECT_TRUE(word.ParseFromString(request.payload));
      EXPECT_EQ(request.subject, proto::worker_subject(word.pool(), word.worker_id()));
      callback(word);
    };
    listening_ =
        std::move(*memory_->serve(std::string(proto::kWorkersFilter), "", std::move(heard)));
  }
  v1::WorkerAnnouncement announcement() {
    auto next = announced_.next();
    EXPECT_TRUE(next) << "no announcement came";
    return next ? *next : v1::WorkerAnnouncement();
  }
  void submit_to(proto::Lane lane, unsigned partition, const v1::CallRequest& request) {
    memory_->publish({.subject = proto::call_subject("native", lane, partition,
                                                     *SessionKey::parse(request.session_key())),
                      .payload = proto::encode(request)},
                     [](Result<bus::PubAck> ack) { EXPECT_TRUE(ack); });
  }
  /// Acknowledges all of a stream, as the collectors do.
  void record(std::string_view stream) {
    toolway::test::Awaited<Result<bus::StreamState>> state;
    memory_->stream_state(stream, state.callback());
    const auto count = (*state.next())->messages;
    toolway::test::Awaited<int> acked;
    auto pull = memory_->pull({std::string(stream), std::string(proto::kCollectorDurable)},
                              [note = acked.callback()](bus::Delivery delivery) {
                                delivery.ack();
                                note(1);
                              });
    pull->allow(count);
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_TRUE(acked.next());
  }

  toolway::test::Awaited<v1::WorkerAnnouncement> announced_;
  std::unique_ptr<bus::Subscription> listening_;
};

TEST_F(CallWorkerFleet, PullsEveryQueueOfItsPool) {
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  memory_->quiesce();
  pass(*worker, seconds(1));
  submit_to(proto::Lane::kBulk, 0, call());
  EXPECT_TRUE(completed().has_completed());
  submit_to(proto::Lane::kNormal, 0, call());
  EXPECT_TRUE(completed().has_completed());
}

TEST_F(CallWorkerFleet, PullsAQueueThatAppearsLater) {
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  ASSERT_TRUE(memory_->provision({.pools = {{"native", 2}, {"other", 1}}}));
  submit_to(proto::Lane::kNormal, 1, call());
  for (int i = 0; i < 6; ++i) {
    pass(*worker, seconds(1));
    memory_->quiesce();
  }
  EXPECT_TRUE(completed().has_completed());
}

TEST_F(CallWorkerFleet, AFullBulkLaneLeavesRoomForNormalCalls) {
  constexpr std::size_t kSlots = 16;
  test::Signal go;
  auto worker =
      this->worker(test::registry_of({}, test::waits(test::Signal(), go)), {.slots = kSlots});
  memory_->quiesce();
  pass(*worker, seconds(1));
  for (int i = 0; i < 40; ++i) submit_to(proto::Lane::kBulk, 0, call());
  memory_->quiesce();
  EXPECT_EQ(worker->held(), kSlots - 2);  // an eighth is kept for the other lane
  submit_to(proto::Lane::kNormal, 0, call());
  memory_->quiesce();
  EXPECT_EQ(worker->held(), kSlots - 1);
  go.give();
  for (int i = 0; i < 41; ++i) EXPECT_TRUE(completed().has_completed());
}

TEST_F(CallWorkerFleet, SaysWhichModelsItsTurnsMayHave) {
  auto worker =
      this->worker(test::registry_of({}, test::returns(1)), {.models = {"large", "small"}});
  const auto word = announcement();
  EXPECT_EQ(std::vector<std::string>(word.models().begin(), word.models().end()),
            (std::vector<std::string>{"large", "small"}));
}

TEST_F(CallWorkerFleet, SaysThatItIsThereAtOnceEveryTwoSecondsAndWhenItDrains) {
  auto worker =
      this->worker(test::registry_of({}, test::returns(1)), {.worker_id = "w-1", .slots = 3});
  const auto first = announcement();
  EXPECT_EQ(first.worker_id(), "w-1");
  EXPECT_EQ(first.pool(), "native");
  EXPECT_EQ(first.slots(), 3u);
  EXPECT_EQ(first.held(), 0u);
  EXPECT_FALSE(first.draining());
  EXPECT_FALSE(first.host().empty());
  EXPECT_NE(first.process(), 0u);
  EXPECT_EQ(first.started_at_us(), to_unix_us(clock_.wall()));
  pass(*worker, seconds(1));
  memory_->quiesce();
  EXPECT_EQ(announced_.waiting(), 0u);
  pass(*worker, seconds(1));
  announcement();
  worker->drain();
  EXPECT_TRUE(announcement().draining());
}

TEST_F(CallWorkerFleet, PausesWhileTooMuchIsNotRecordedAndResumesByItself) {
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  announcement();
  submit(call());
  EXPECT_TRUE(completed().has_completed());
  clock_.advance(hours(19));  // of the 24 that the streams keep
  worker->fire_due();
  auto word = announcement();
  while (!word.paused()) word = announcement();
  EXPECT_EQ(metrics_->gauge(monitoring::kPaused, "pool", "native").value(), 1);
  pass(*worker, seconds(1));  // takes back what it has asked for
  memory_->quiesce();
  const auto waiting = call();
  submit(waiting);
  memory_->quiesce();
  EXPECT_EQ(worker->held(), 0u);
  EXPECT_EQ(stored_events(), 1u);

  record(proto::kCallsStream);
  record(proto::kEventsStream);
  pass(*worker, seconds(1));
  EXPECT_EQ(completed().call_id(), waiting.call_id());
  EXPECT_EQ(metrics_->gauge(monitoring::kPaused, "pool", "native").value(), 0);
}

}  // namespace
}  // namespace toolway::workers::pool
