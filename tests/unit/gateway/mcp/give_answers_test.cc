#include "gateway/mcp/give_answers.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::mcp {
namespace {

class GiveAnswers : public testing::Test {
 protected:
  GiveAnswers() {
    ports_.answer_call =
        [this](const wire::Caller&, std::string,
               calls::ToAnswer) -> loop::Task<wire::HttpResult<std::optional<v1::CallEvent>>> {
      ++asked_;
      if (asked_ == takes_at_) co_return std::optional<v1::CallEvent>();
      co_return wire::refuse(refusal_, "not now");
    };
    ports_.read_task = [this](const wire::Caller&, std::string,
                              std::string) -> loop::Task<wire::HttpResult<TaskFacts>> {
      TaskFacts facts{persistence::store::RecordedCall()};
      facts.last = last_;
      if (ended_) facts.call.completion.emplace();
      co_return std::move(facts);
    };
    auto& question = *last_.add_questions();
    question.set_key("ok");
    last_.mutable_retry_at();
  }
  std::string give() {
    calls::ToAnswer given({{"ok", Json::object()}}, calls::ToAnswer::Unasked::kLeftOut);
    auto done = loop_.run(give_answers(ports_, {}, "c", given));
    return done ? "done" : std::string(code_name(done.error().error.code));
  }

  const std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
  BusLoop loop_{*bus_};
  McpPorts ports_;
  v1::CallEvent last_;
  ErrorCode refusal_ = ErrorCode::kNotAsked;
  bool ended_ = false;
  int takes_at_ = 0;  ///< the request that is answered; 0: none
  int asked_ = 0;
};

TEST_F(GiveAnswers, ACallBetweenTwoAttemptsIsWaitedFor) {
  takes_at_ = 3;
  EXPECT_EQ(give(), "done");
  EXPECT_EQ(asked_, 3);
}

TEST_F(GiveAnswers, WhatIsNotAskedIsLeftOutAtOnce) {
  last_.mutable_questions(0)->set_answer("{}");
  EXPECT_EQ(give(), "done") << "it was answered before";
  last_.mutable_questions(0)->set_key("other");
  last_.mutable_questions(0)->clear_answer();
  EXPECT_EQ(give(), "done") << "it was never asked";
  last_.mutable_questions(0)->set_key("ok");
  ended_ = true;
  EXPECT_EQ(give(), "done") << "the call has ended";
  ended_ = false;
  last_.mutable_cancel_requested();
  EXPECT_EQ(give(), "done") << "it is being cancelled";
  EXPECT_EQ(asked_, 4);
}

TEST_F(GiveAnswers, OtherRefusalsAreItsOwn) {
  refusal_ = ErrorCode::kInvalidRequest;
  EXPECT_EQ(give(), "invalid_request");
  EXPECT_EQ(asked_, 1);
}

}  // namespace
}  // namespace toolway::gateway::mcp
