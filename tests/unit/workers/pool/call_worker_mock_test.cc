// A worker that runs mocks in place of tools.
#include <fstream>

#include "bus/key_value.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/workers/worker_bench.h"
#include "tools/executors/mock/mocks.h"

namespace toolway::workers::pool {
namespace {

class CallWorkerMock : public test::WorkerBench {
 protected:
  std::unique_ptr<CallWorker> worker_with(
      const std::string& script,
      tools::executors::mock::Unmocked unmocked = tools::executors::mock::Unmocked::kRun) {
    std::ofstream(dir_ / "mocks.yaml") << script;
    auto mocks = tools::executors::mock::Mocks::create(
        {.files = {dir_ / "mocks.yaml"}, .unmocked = unmocked, .record = dir_ / "calls.ndjson"});
    EXPECT_TRUE(mocks) << mocks.error().message;
    return test::WorkerBench::worker({test::registry_of({}, test::returns("native")), {}, *mocks});
  }
  v1::Completed ran(const v1::CallRequest& request) {
    submit(request);
    for (;;) {
      const auto next = event();
      if (next.has_completed()) return next.completed();
      if (!next.has_started() && !next.has_log()) ADD_FAILURE() << next.ShortDebugString();
    }
  }
  /// A call of a tool of a kind that this worker does not have.
  v1::CallRequest call_of_spec() {
    tools::model::Spec spec{.name = "tool",
                            .ns = "test",
                            .input_schema = {{"type", "object"}, {"required", {"q"}}},
                            .kind = tools::model::Kind::kPython,
                            .idempotent = true};
    spec.implementation = {{"module", "m"}, {"function_name", "f"}};
    const auto digest = tools::model::digest(spec);
    toolway::test::Awaited<Result<bus::PubAck>> stored;
    memory_->publish(
        {.subject = proto::bucket_subject(proto::kSpecsBucket, *proto::spec_bucket_key(digest)),
         .payload = to_text(tools::model::to_document(spec))},
        stored.callback());
    EXPECT_TRUE(stored.next());
    auto request = call();
    request.set_spec_digest(digest);
    return request;
  }
  const toolway::test::TempDir dir_;
};

TEST_F(CallWorkerMock, AToolOfTheBuildIsNotRun) {
  auto worker =
      worker_with("mocks: [{tool: test.tool, when: {arguments: {q: 1}}, result: mocked}]");
  auto request = call();
  request.set_arguments(R"({"q":1})");
  EXPECT_EQ(ran(request).result(), "\"mocked\"");
  // Whatever the arguments: it is never run for real.
  const auto other = ran(call());
  EXPECT_EQ(other.outcome(), v1::OUTCOME_FAILED);
  EXPECT_EQ(other.error().code(), "mock_no_match");
  expect_all_acked();
}

TEST_F(CallWorkerMock, AToolOfASpecNeedsNoKindAndItsArgumentsAreChecked) {
  auto worker = worker_with("mocks: [{tool: 'test.*', result: '{{q}}'}]");
  auto request = call_of_spec();
  EXPECT_EQ(ran(request).error().code(), "invalid_arguments");
  request = call_of_spec();
  request.set_arguments(R"({"q":[2]})");
  EXPECT_EQ(ran(request).result(), "[2]");
}

TEST_F(CallWorkerMock, WhatNoMockIsForIsRefusedOnlyWhenAsked) {
  {
    auto worker = worker_with("mocks: [{tool: other.tool, result: 1}]");
    EXPECT_EQ(ran(call()).result(), "\"native\"");
  }
  std::ifstream recorded(dir_ / "calls.ndjson");
  std::string line;
  ASSERT_TRUE(std::getline(recorded, line));
  EXPECT_NE(line.find(R"("result":"native")"), std::string::npos) << line;
  EXPECT_FALSE(std::getline(recorded, line)) << line;
  auto worker = worker_with("mocks: [{tool: other.tool, result: 1}]",
                            tools::executors::mock::Unmocked::kRefused);
  EXPECT_EQ(ran(call()).error().code(), "mock_no_match");
}

}  // namespace
}  // namespace toolway::workers::pool
