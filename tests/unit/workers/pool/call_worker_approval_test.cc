// Calls that must be approved: what a worker runs, no matter which process published it.
#include "proto/approvals.h"
#include "proto/publication.h"
#include "tests/unit/workers/worker_bench.h"
#include "tools/matching/arguments_digest.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class CallWorkerApproval : public test::WorkerBench {
 protected:
  CallWorkerApproval() { registry_ = registry(true); }

  std::shared_ptr<const tools::model::Registry> registry(bool requires_approval,
                                                         bool idempotent = true) {
    tools::model::Spec spec;
    spec.name = "tool";
    spec.ns = "test";
    spec.description = "of a test";
    spec.input_schema = {{"type", "object"}};
    spec.idempotent = idempotent;
    spec.requires_approval = requires_approval;
    auto made = std::make_shared<tools::model::Registry>();
    const auto added = made->add(std::make_shared<test::LambdaTool>(
        spec,
        [runs = runs_](const Json&, tools::model::ToolContext&,
                       tools::model::Progress&) -> tools::model::Execution {
          ++*runs;
          return Json("done");
        }));
    EXPECT_TRUE(added);
    return made;
  }

  v1::CallRequest held() {
    auto request = call();
    request.set_user_id("ann");
    request.mutable_hold()->set_quorum(1);
    request.mutable_hold()->set_expires_at_us(to_unix_us(clock_.wall() + hours(24)));
    return request;
  }
  static std::string digest(const v1::CallRequest& request) {
    return proto::approval_digest(
        request, tools::matching::arguments_digest(*parse_json(request.arguments())));
  }
  v1::CallEvent vote(const v1::CallRequest& request, bool approve) {
    v1::Vote made;
    made.set_user_id("bea");
    made.set_approve(approve);
    return proto::approval_decided(request, last_event(request)->second, made, clock_.wall());
  }
  void ask(const v1::CallRequest& request) {
    append(request, proto::approval_request(request, digest(request), clock_.wall()));
    EXPECT_TRUE(event().has_approval_requested());
  }
  /// As its gateway releases it.
  v1::CallRequest approved(const v1::CallRequest& request) {
    ask(request);
    append(request, vote(request, true));
    EXPECT_TRUE(event().has_approval_decided());
    return proto::released(request, last_event(request)->second);
  }
  /// Another worker began the approved call and is gone: `published` is what comes after.
  void begin_elsewhere(const v1::CallRequest& request, v1::CallRequest& published) {
    v1::CallEvent started;
    started.set_attempt(1);
    started.set_approved(digest(request));
    started.mutable_started();
    append(request, started);
    event();
    published.set_publication(proto::kBrokenOff + 1);
  }
  void expect_rejected(const v1::CallRequest& published) {
    submit(published);
    auto worker = this->worker(registry_);
    const auto end = completed();
    EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_REJECTED);
    EXPECT_EQ(end.completed().error().code(), "approval_missing")
        << end.completed().error().message();
    EXPECT_EQ(*runs_, 0);
    expect_all_acked();
  }
  v1::CallEvent run(const v1::CallRequest& published) {
    submit(published);
    auto worker = this->worker(registry_);
    auto end = completed();
    expect_all_acked();
    return end;
  }

  std::shared_ptr<std::atomic<int>> runs_ = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<const tools::model::Registry> registry_;
};

TEST_F(CallWorkerApproval, AnApprovedCallRunsAfterItsApproval) {
  const auto request = held();
  const auto end = run(approved(request));
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED) << end.completed().error().message();
  EXPECT_EQ(end.attempt(), 1U);
  EXPECT_EQ(end.approved(), digest(request)) << "what follows says what was approved";
  EXPECT_EQ(*runs_, 1);
}

TEST_F(CallWorkerApproval, OneThatMustNotRunTwiceIsNotTakenForBrokenOff) {
  registry_ = registry(true, false);
  const auto end = run(approved(held()));
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED) << end.completed().error().message();
  EXPECT_EQ(*runs_, 1);
}

TEST_F(CallWorkerApproval, LimitsCountFromTheRelease) {
  auto request = held();
  request.mutable_limits()->set_queue_ms(1000);
  request.mutable_limits()->set_total_ms(2000);
  clock_.advance(hours(20));
  const auto end = run(approved(request));
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED) << end.completed().error().code();
}

TEST_F(CallWorkerApproval, OneByteOfTheArgumentsChanged) {
  auto published = approved(held());
  published.set_arguments(R"({"a":1})");
  expect_rejected(published);
}

TEST_F(CallWorkerApproval, TheSameArgumentsInOtherWordsAreTheSame) {
  auto request = held();
  request.set_arguments(R"({"a":1,"b":2})");
  auto published = approved(request);
  published.set_arguments(R"({ "b": 2, "a": 1.0 })");
  EXPECT_EQ(run(published).completed().outcome(), v1::OUTCOME_SUCCEEDED);
}

TEST_F(CallWorkerApproval, AnotherRequester) {
  auto published = approved(held());
  published.mutable_principal()->set_user_id("eve");
  expect_rejected(published);
}

TEST_F(CallWorkerApproval, AnotherUser) {
  auto published = approved(held());
  published.set_user_id("eve");
  expect_rejected(published);
}

TEST_F(CallWorkerApproval, AnotherTenant) {
  auto published = approved(held());
  published.set_tenant_id("other");
  expect_rejected(published);
}

TEST_F(CallWorkerApproval, AnotherVersionOfTheSpec) {
  auto published = approved(held());
  published.set_spec_digest("sha256:" + std::string(64, '0'));
  submit(published);
  auto worker = this->worker(registry_);
  EXPECT_NE(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(*runs_, 0);
}

TEST_F(CallWorkerApproval, PublishedPastTheGateway) {
  const auto request = held();
  ask(request);
  expect_rejected(request);
}

TEST_F(CallWorkerApproval, PublishedBeforeAnythingWasAsked) { expect_rejected(held()); }

TEST_F(CallWorkerApproval, WithAnApprovalThatItsLogDoesNotShow) {
  auto published = held();
  ask(published);
  published.set_publication(proto::kReleased);
  published.set_released_at_us(to_unix_us(clock_.wall()));
  published.mutable_approval()->set_digest(digest(published));
  published.mutable_approval()->add_votes()->set_approve(true);
  expect_rejected(published);
}

TEST_F(CallWorkerApproval, WithoutAHoldAtAll) { expect_rejected(call()); }

TEST_F(CallWorkerApproval, WithItsHoldTakenOut) {
  auto published = approved(held());
  published.clear_hold();
  published.clear_approval();
  published.set_publication(0);
  published.set_released_at_us(0);
  expect_rejected(published);
}

/// Even where neither spec nor policy asks for approval any more.
TEST_F(CallWorkerApproval, ItsLogSaysThatItWaits) {
  registry_ = registry(false, false);
  auto published = held();
  ask(published);
  published.clear_hold();
  expect_rejected(published);
}

TEST_F(CallWorkerApproval, ItsLogSaysWhatWasApproved) {
  registry_ = registry(false, false);
  auto published = approved(held());
  published.clear_hold();
  published.clear_approval();
  published.set_publication(0);
  published.set_released_at_us(0);
  published.set_arguments(R"({"a":1})");
  expect_rejected(published);
}

TEST_F(CallWorkerApproval, AQuorumThatIsNotThere) {
  auto request = held();
  request.mutable_hold()->set_quorum(2);
  expect_rejected(approved(request));
}

TEST_F(CallWorkerApproval, ADeniedOne) {
  const auto request = held();
  ask(request);
  append(request, vote(request, false));
  event();
  expect_rejected(proto::released(request, last_event(request)->second));
}

/// The approval of one call, with the id of another of the same session.
TEST_F(CallWorkerApproval, ATwinOfTheSameSession) {
  const auto request = held();
  auto twin = approved(request);
  twin.set_call_id(CallId::make(clock_.wall()).text());
  ask(twin);
  expect_rejected(twin);
}

TEST_F(CallWorkerApproval, ATwinOfAnotherSession) {
  const auto request = held();
  auto twin = approved(request);
  twin.set_session_key(SessionKey::make().text());
  expect_rejected(twin);
}

/// Its log shows the approval of a call whose digest is that of another.
TEST_F(CallWorkerApproval, ATwinWhoseLogWasCopied) {
  const auto request = held();
  auto twin = approved(request);
  const auto decided = last_event(request)->second;
  twin.set_session_key(SessionKey::make().text());
  append(twin, decided);
  event();
  expect_rejected(twin);
}

TEST_F(CallWorkerApproval, ACancelledOneDoesNotRun) {
  const auto request = held();
  const auto published = approved(request);
  v1::CallEvent cancel;
  cancel.mutable_cancel_requested();
  append(request, cancel);
  const auto end = run(published);
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(*runs_, 0);
}

TEST_F(CallWorkerApproval, AnExpiredOneDoesNotRun) {
  const auto request = held();
  ask(request);
  append(request, proto::rejected_completion(request, &last_event(request)->second,
                                             ErrorCode::kApprovalExpired, clock_.wall()));
  EXPECT_TRUE(event().has_completed());
  submit(proto::released(request, last_event(request)->second));
  auto worker = this->worker(registry_);
  expect_all_acked();
  EXPECT_EQ(*runs_, 0);
}

TEST_F(CallWorkerApproval, TwiceIsOnce) {
  const auto published = approved(held());
  EXPECT_EQ(run(published).completed().outcome(), v1::OUTCOME_SUCCEEDED);
  submit(published);
  auto worker = this->worker(registry_);
  expect_all_acked();
  EXPECT_EQ(*runs_, 1);
}

/// Another worker began it and is gone: this attempt is approved by what that one wrote.
TEST_F(CallWorkerApproval, ALaterAttemptIsApprovedByTheLog) {
  const auto request = held();
  auto published = approved(request);
  begin_elsewhere(request, published);
  const auto end = run(published);
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED) << end.completed().error().code();
  EXPECT_EQ(end.attempt(), 2U);
}

TEST_F(CallWorkerApproval, ALaterAttemptWithOtherArgumentsIsNot) {
  const auto request = held();
  auto published = approved(request);
  begin_elsewhere(request, published);
  published.set_arguments(R"({"a":1})");
  expect_rejected(published);
}

TEST_F(CallWorkerApproval, NoWorkerTakesThePoolOfHeldCalls) {
  auto started = CallWorker::start(bus_, *metrics_, registry_, clock_, {.pool = "held"},
                                   TimePasses::kWhenTold);
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("`held`"), std::string::npos);
}

}  // namespace
}  // namespace toolway::workers::pool
