// Calls that name the digest of a spec: what it is found by, and run as.
#include "workers/pool/spec_lookup.h"

#include "bus/key_value.h"
#include "tests/unit/workers/worker_bench.h"
#include "tools/model/kinds.h"

namespace toolway::workers::pool {
namespace {

/// Makes tools that return what their implementation config says, and counts them.
class AnsweringKind final : public tools::model::ToolKind {
 public:
  tools::model::Kind kind() const override { return tools::model::Kind::kPython; }
  Result<std::shared_ptr<const tools::model::Tool>> make(tools::model::Spec spec) override {
    ++made;
    auto answer = Json(spec.implementation["function_name"]);
    return std::make_shared<const test::LambdaTool>(std::move(spec),
                                                    test::returns(std::move(answer)));
  }
  std::atomic<int> made{0};
};

tools::model::Spec answering(std::string answer) {
  tools::model::Spec spec;
  spec.name = "tool";
  spec.ns = "test";
  spec.description = "of a test";
  spec.input_schema = {{"type", "object"}};
  spec.kind = tools::model::Kind::kPython;
  spec.idempotent = true;
  spec.implementation = {{"module", "m"}, {"function_name", std::move(answer)}};
  return spec;
}

class SpecLookupTest : public test::WorkerBench {
 protected:
  std::unique_ptr<CallWorker> worker() {
    return test::WorkerBench::worker({test::registry_of({}, test::returns("native")), {kind_}});
  }

  void store(const tools::model::Spec& spec) {
    store(tools::model::digest(spec), to_text(tools::model::to_document(spec)));
  }
  void store(const std::string& digest, std::string document) {
    toolway::test::Awaited<Result<bus::PubAck>> stored;
    memory_->publish(
        {.subject = proto::bucket_subject(proto::kSpecsBucket, *proto::spec_bucket_key(digest)),
         .payload = std::move(document)},
        stored.callback());
    ASSERT_TRUE(stored.next());
  }
  v1::CallRequest call_of(const tools::model::Spec& spec) {
    auto request = call();
    request.set_spec_digest(tools::model::digest(spec));
    return request;
  }

  std::shared_ptr<AnsweringKind> kind_ = std::make_shared<AnsweringKind>();
};

TEST_F(SpecLookupTest, RunsTheVersionThatAdmittedTheCall) {
  const auto old_spec = answering("old");
  const auto new_spec = answering("new");
  store(old_spec);
  store(new_spec);
  auto worker = this->worker();
  submit(call_of(new_spec));
  EXPECT_EQ(completed().completed().result(), "\"new\"");
  submit(call_of(old_spec));
  EXPECT_EQ(completed().completed().result(), "\"old\"");
  submit(call_of(new_spec));
  EXPECT_EQ(completed().completed().result(), "\"new\"");
  EXPECT_EQ(kind_->made, 2);
  expect_all_acked();
  EXPECT_EQ(worker->held(), 0u);
}

TEST_F(SpecLookupTest, CallsThatComeBeforeItIsKnownAllRun) {
  const auto spec = answering("many");
  store(spec);
  for (int i = 0; i < 50; ++i) submit(call_of(spec));
  auto worker = this->worker();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(completed().completed().result(), "\"many\"");
  expect_all_acked();
  EXPECT_EQ(worker->held(), 0u);
}

TEST_F(SpecLookupTest, ANativeToolsAdjustedSpecIsPinnedToo) {
  auto spec = test::registry_of({}, test::returns(1))->find("test", "tool")->spec();
  spec.multi_step = true;
  store(spec);
  auto worker = this->worker();
  submit(call_of(spec));
  EXPECT_TRUE(event().has_started());  // a multi-step tool's start is never merged
  EXPECT_EQ(completed().completed().result(), "\"native\"");
}

TEST_F(SpecLookupTest, ASpecThatDoesNotExistFailsTheCallAndSaysSo) {
  auto worker = this->worker();
  submit(call_of(answering("missing")));
  const auto end = completed().completed();
  EXPECT_EQ(end.outcome(), v1::OUTCOME_FAILED);
  EXPECT_EQ(end.error().code(), "spec_unavailable");
  EXPECT_TRUE(end.error().retryable());
  expect_all_acked();
}

TEST_F(SpecLookupTest, AnotherSpecUnderTheDigestIsNotRun) {
  const auto spec = answering("asked for");
  store(tools::model::digest(spec), to_text(tools::model::to_document(answering("put there"))));
  auto worker = this->worker();
  submit(call_of(spec));
  EXPECT_EQ(completed().completed().error().code(), "spec_unavailable");
  EXPECT_EQ(kind_->made, 0);
}

TEST_F(SpecLookupTest, ADigestOfAnotherFormNeverReachesTheBus) {
  auto request = call();
  request.set_spec_digest("sha256:ab\r\nPUB x 0");
  auto worker = this->worker();
  submit(request);
  EXPECT_EQ(completed().completed().error().code(), "spec_unavailable");
}

TEST_F(SpecLookupTest, AKindThatThisWorkerDoesNotRunIsSaid) {
  auto spec = answering("x");
  spec.kind = tools::model::Kind::kCommand;
  store(spec);
  auto worker = this->worker();
  submit(call_of(spec));
  const auto error = completed().completed().error();
  EXPECT_NE(error.message().find("command"), std::string::npos) << error.message();
}

}  // namespace
}  // namespace toolway::workers::pool
