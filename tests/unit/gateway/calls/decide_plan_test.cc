#include "gateway/calls/decide_plan.h"

#include <gtest/gtest.h>

#include "proto/approvals.h"
#include "proto/codec.h"

namespace toolway::gateway::calls {
namespace {

using Kind = LogEditStep::Kind;
using proto::ApprovalState;
using std::chrono::seconds;

constexpr MonotonicTime kEditBegun{seconds(100)};
constexpr WallTime kDecidedAt{seconds(1'800'000'000)};

v1::CallRequest held_for(unsigned quorum = 1) {
  v1::CallRequest request;
  request.set_call_id("0192a000-0000-7000-8000-000000000001");
  request.set_session_key("0123456789abcdef0123456789abcdef");
  request.set_user_id("ann");
  request.mutable_hold()->set_quorum(quorum);
  request.mutable_hold()->set_expires_at_us(to_unix_us(kDecidedAt + seconds(60)));
  return request;
}

/// The log of one call as the server keeps it, and decisions about it.
class DecideTest : public testing::Test {
 protected:
  struct End {
    std::optional<Error> error;
    std::optional<v1::CallEvent> last;
  };

  v1::Vote vote(const std::string& user, bool approve = true) {
    v1::Vote made;
    made.set_user_id(user);
    made.set_approve(approve);
    made.set_at_us(++at_us_);
    return made;
  }
  void asked(unsigned quorum = 1) {
    request_ = held_for(quorum);
    log_ = {proto::approval_request(request_, "d", kDecidedAt)};
  }
  LogEdit edit(v1::Vote vote, SpecNow spec = SpecNow::kSame) {
    return deciding({.request = request_, .digest = "d", .vote = std::move(vote), .spec = spec},
                    kEditBegun + LogEdit::kTimeLimit);
  }
  LogEdit::Now now() const { return {kEditBegun, now_}; }
  Result<bus::StoredMessage> last_message() const {
    if (log_.empty()) return fail(ErrorCode::kNotFound, "no message");
    return bus::StoredMessage{.subject = {},
                              .payload = proto::encode(log_.back()),
                              .sequence = log_.size(),
                              .stored_at = {}};
  }
  /// Stores it, or refuses it when it does not follow the last one.
  Result<bus::PubAck> store(const bus::Publication& publication) {
    if (*publication.expected_last != log_.size())
      return fail(ErrorCode::kWrongLastSequence, "another was first");
    log_.push_back(*proto::decode_event(publication.payload));
    return bus::PubAck{.sequence = log_.size()};
  }
  LogEditStep next(LogEdit& edit, LogEditStep step) {
    if (step.kind == Kind::kReadLog) return edit.read(last_message(), now());
    EXPECT_EQ(step.kind, Kind::kPublish);
    return edit.published(store(step.publication), now());
  }
  End carry(LogEdit edit) {
    auto step = edit.begin(now());
    while (step.kind != Kind::kDone && step.kind != Kind::kFailed)
      step = next(edit, std::move(step));
    return {step.error, step.last};
  }
  End decide(v1::Vote vote, SpecNow spec = SpecNow::kSame) {
    return carry(edit(std::move(vote), spec));
  }
  ErrorCode refused(const End& end) {
    EXPECT_TRUE(end.error);
    return end.error ? end.error->code : ErrorCode::kInternal;
  }
  v1::CallEvent& append(v1::CallEvent event) {
    event.set_seq(log_.empty() ? 1 : log_.back().seq() + 1);
    log_.push_back(std::move(event));
    return log_.back();
  }

  std::int64_t at_us_ = 0;
  WallTime now_ = kDecidedAt;
  v1::CallRequest request_ = held_for();
  std::vector<v1::CallEvent> log_;
};

TEST_F(DecideTest, AnApprovalFollowsTheRequestForIt) {
  asked();
  const auto end = decide(vote("bea"));
  ASSERT_FALSE(end.error) << end.error->message;
  ASSERT_EQ(log_.size(), 2U);
  EXPECT_EQ(log_[1].approved(), "d");
  EXPECT_EQ(log_[1].seq(), 2U);
  EXPECT_EQ(proto::approval_state(*end.last), ApprovalState::kApproved);
}

TEST_F(DecideTest, ADenialEndsTheCall) {
  asked();
  auto no = vote("bea", false);
  no.set_reason("not today");
  const auto end = decide(no);
  ASSERT_FALSE(end.error) << end.error->message;
  ASSERT_EQ(log_.size(), 3U);
  EXPECT_EQ(log_[2].completed().outcome(), v1::OUTCOME_REJECTED);
  EXPECT_EQ(log_[2].completed().error().code(), "approval_denied");
  EXPECT_EQ(log_[2].completed().error().message(), "denied: not today");
}

/// Its gateway died before it could write the first event.
TEST_F(DecideTest, TheRequestIsWrittenWhereItIsMissing) {
  request_ = held_for();
  log_.clear();
  auto vote = this->vote("bea");
  auto edit = this->edit(vote);
  auto step = edit.begin(now());
  step = edit.read(last_message(), now());
  ASSERT_EQ(step.kind, Kind::kLookUp) << "it may have left the stream";
  step = edit.looked_up(v1::LookupAnswer(), now());
  ASSERT_EQ(step.kind, Kind::kPublish);
  while (step.kind != Kind::kDone) step = next(edit, std::move(step));
  ASSERT_EQ(log_.size(), 2U);
  EXPECT_TRUE(log_[0].has_approval_requested());
  EXPECT_EQ(log_[1].approved(), "d");
}

/// It has waited for longer than the stream keeps its events: the collectors have the end.
TEST_F(DecideTest, WhatHasLeftTheStreamIsLookedUp) {
  asked();
  v1::LookupAnswer recorded;
  recorded.set_last_event(proto::encode(log_.back()));
  log_.clear();
  auto edit = this->edit(vote("bea"));
  auto step = edit.begin(now());
  step = edit.read(last_message(), now());
  ASSERT_EQ(step.kind, Kind::kLookUp);
  step = edit.looked_up(recorded, now());
  while (step.kind != Kind::kDone) step = next(edit, std::move(step));
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_EQ(log_[0].seq(), 2U);
  EXPECT_EQ(log_[0].approved(), "d");
}

TEST_F(DecideTest, AQuorumNeedsDifferentPeople) {
  asked(2);
  EXPECT_EQ(proto::approval_state(*decide(vote("bea")).last), ApprovalState::kWaiting);
  const auto twice = decide(vote("bea"));
  EXPECT_EQ(refused(twice), ErrorCode::kApprovalDecided);
  EXPECT_EQ(twice.error->message,
            "you have approved the call already; it waits until others have, too");
  EXPECT_EQ(log_.size(), 2U);
  EXPECT_EQ(proto::approval_state(*decide(vote("cid")).last), ApprovalState::kApproved);
  EXPECT_EQ(log_.back().approved(), "d");
}

TEST_F(DecideTest, WhatIsDecidedStays) {
  asked();
  decide(vote("bea"));
  EXPECT_EQ(refused(decide(vote("bea"))), ErrorCode::kApprovalDecided) << "replayed";
  EXPECT_EQ(refused(decide(vote("cid", false))), ErrorCode::kApprovalDecided);
  EXPECT_EQ(log_.size(), 2U);
  asked();
  decide(vote("bea", false));
  EXPECT_EQ(refused(decide(vote("cid"))), ErrorCode::kApprovalDecided);
  EXPECT_EQ(log_.size(), 3U);
}

/// Both have read that the call waits.
TEST_F(DecideTest, OfTwoAtOnceOneDecides) {
  asked();
  auto yes = edit(vote("bea"));
  auto no = edit(vote("cid", false));
  auto yes_step = yes.begin(now());
  auto no_step = no.begin(now());
  yes_step = next(yes, std::move(yes_step));
  no_step = next(no, std::move(no_step));
  no_step = next(no, std::move(no_step));     // is stored
  yes_step = next(yes, std::move(yes_step));  // and so this is refused
  while (no_step.kind != Kind::kDone) no_step = next(no, std::move(no_step));
  while (yes_step.kind != Kind::kFailed) yes_step = next(yes, std::move(yes_step));
  EXPECT_EQ(yes_step.error->code, ErrorCode::kApprovalDecided);
  for (const auto& event : log_) EXPECT_TRUE(event.approved().empty());
  EXPECT_EQ(log_.back().completed().error().code(), "approval_denied");
}

/// The answer to the vote was lost, and the reaper continues with it.
TEST_F(DecideTest, ADenialIsDoneEvenIfTheReaperCompletesIt) {
  asked();
  auto no = edit(vote("bea", false));
  auto step = no.begin(now());
  step = next(no, std::move(step));
  store(step.publication);
  step = no.published(fail(ErrorCode::kTimeout, "no answer"), now());
  ASSERT_EQ(step.kind, Kind::kPause);
  step = no.resumed(now());
  step = next(no, std::move(step));
  ASSERT_EQ(step.kind, Kind::kPublish) << "the completion";
  append(proto::rejected_completion(request_, &log_.back(), ErrorCode::kApprovalDenied, now_));
  step = next(no, std::move(step));  // refused
  step = next(no, std::move(step));
  EXPECT_EQ(step.kind, Kind::kDone);
}

TEST_F(DecideTest, AfterItsTimeACallEnds) {
  asked();
  now_ = kDecidedAt + seconds(60);
  EXPECT_EQ(refused(decide(vote("bea"))), ErrorCode::kApprovalExpired);
  ASSERT_EQ(log_.size(), 2U);
  EXPECT_EQ(log_[1].completed().outcome(), v1::OUTCOME_REJECTED);
  EXPECT_EQ(log_[1].completed().error().code(), "approval_expired");
  EXPECT_EQ(refused(decide(vote("bea"))), ErrorCode::kApprovalExpired);
}

TEST_F(DecideTest, AToolThatHasChangedIsNotApproved) {
  asked();
  EXPECT_EQ(refused(decide(vote("bea"), SpecNow::kChanged)), ErrorCode::kApprovalStale);
  ASSERT_EQ(log_.size(), 2U);
  EXPECT_EQ(log_[1].completed().error().code(), "approval_stale");
  EXPECT_EQ(refused(decide(vote("bea"))), ErrorCode::kApprovalStale);
  asked();
  EXPECT_FALSE(decide(vote("bea", false), SpecNow::kChanged).error) << "it may still be denied";
}

TEST_F(DecideTest, ACallThatIsCancelledOrRunsIsNotDecided) {
  asked();
  v1::CallEvent cancel = log_.back();
  cancel.mutable_cancel_requested();
  append(cancel);
  EXPECT_EQ(refused(decide(vote("bea"))), ErrorCode::kApprovalDecided);
  asked();
  v1::CallEvent started = log_.back();
  started.set_attempt(1);
  started.mutable_started();
  append(started);
  EXPECT_EQ(refused(decide(vote("bea", false))), ErrorCode::kApprovalDecided);
}

/// A log that asks for something else than what the request says.
TEST_F(DecideTest, WhatIsAskedMustBeWhatWouldRun) {
  asked();
  log_.back().mutable_approval_requested()->set_digest("another");
  EXPECT_EQ(refused(decide(vote("bea"))), ErrorCode::kInternal);
  EXPECT_EQ(log_.size(), 1U);
}

}  // namespace
}  // namespace toolway::gateway::calls
