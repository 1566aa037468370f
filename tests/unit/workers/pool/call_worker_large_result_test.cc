// A call whose result is stored apart: what comes before its completion, and what ends it.
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Fault = test::FaultyBus::Fault;

class CallWorkerLargeResult : public test::WorkerBench {
 protected:
  CallWorkerLargeResult() {
    auto callback = chunks_.callback();
    pull_ = memory_->pull({"BLOBS", "collector"}, [callback](bus::Delivery delivery) {
      callback(*proto::decode_blob_chunk(delivery.payload));
      delivery.ack();
    });
    pull_->allow(1000);
  }
  std::string chunks(unsigned count) {
    std::map<unsigned, std::string> by_number;
    for (unsigned i = 0; i < count; ++i) {
      const auto chunk = chunks_.next();
      EXPECT_TRUE(chunk);
      if (chunk) by_number[chunk->number()] = chunk->data();
    }
    std::string all;
    for (const auto& [number, data] : by_number) all += data;
    return all;
  }
  const Json large_ = std::string(1'000'000, 'x');
  toolway::test::Awaited<v1::BlobChunk> chunks_;
  std::unique_ptr<bus::PullConsumer> pull_;
};

TEST_F(CallWorkerLargeResult, StartedThenChunksThenTheCompletionWithAPreview) {
  auto worker = this->worker(test::registry_of({}, test::returns(large_)));
  submit(call());
  EXPECT_TRUE(event().has_started());
  const auto done = event();
  ASSERT_TRUE(done.has_completed());
  EXPECT_EQ(done.seq(), 2U);
  const auto& blob = done.completed().blob();
  EXPECT_EQ(blob.size(), 1'000'002U);
  EXPECT_EQ(blob.chunks(), 4U);
  EXPECT_EQ(done.completed().result().size(), 16U * 1024);
  EXPECT_EQ(chunks(4), large_.dump());
  expect_all_acked();
}

TEST_F(CallWorkerLargeResult, SendsAgainWhatTheBusDidNotTake) {
  test::Signal running, go;
  auto worker =
      this->worker(test::registry_of({.idempotent = false},
                                     [&](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                                       running.give();
                                       EXPECT_TRUE(go.wait());
                                       return large_;
                                     }));
  submit(call());
  ASSERT_TRUE(running.wait());
  bus_.spoil({Fault::kNotSent, Fault::kLoseAck, Fault::kNotSent});
  go.give();
  EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(chunks(4), large_.dump());
  expect_all_acked();
}

TEST_F(CallWorkerLargeResult, IsGivenUpAtTheRunLimit) {
  test::Signal running, go;
  auto request = call();
  request.mutable_limits()->set_run_ms(500);
  auto worker =
      this->worker(test::registry_of({.idempotent = false},
                                     [&](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                                       running.give();
                                       EXPECT_TRUE(go.wait());
                                       return large_;
                                     }));
  submit(request);
  EXPECT_TRUE(event().has_started());
  ASSERT_TRUE(running.wait());
  bus_.spoil(std::vector<Fault>(100, Fault::kNotSent));
  go.give();
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(bus_.spoiled.next());
  bus_.spoil({});
  // The chunks wait for their turn again; the limit comes first.
  memory_->disconnect();
  pass(*worker, milliseconds(500));
  memory_->reconnect();
  for (;;) {
    pass(*worker, seconds(1));
    if (events_.waiting() > 0) break;
    memory_->quiesce();
    if (worker->held() == 0) break;
  }
  const auto end = completed();
  EXPECT_EQ(end.completed().error().code(), "run_limit_exceeded");
}

}  // namespace
}  // namespace toolway::workers::pool
