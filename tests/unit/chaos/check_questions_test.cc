#include <gtest/gtest.h>

#include "tests/unit/chaos/mcp_runs.h"

namespace toolway::chaos {
namespace {

/// One question, asked and answered with `v` through REST, as its tool was told.
struct Asking {
  std::vector<Question> log{{.call_id = "c1", .key = "q1"},
                            {.call_id = "c1", .key = "q1", .answered = true, .value = "v"}};
  std::vector<Told> told{{.call_id = "c1", .attempt = 1, .key = "q1", .value = "v"}};
  std::vector<Given> given{answer("v", Given::Effect::kTaken)};
  std::vector<RpcStretch> stretches{};
  std::vector<TaskLook> looks{};

  static Given answer(const std::string& value, Given::Effect said) {
    return {.session = "s1",
            .call_id = "c1",
            .key = "q1",
            .value = value,
            .face = "rest",
            .at_us = 150,
            .done_us = 160,
            .said = said};
  }
  std::uint64_t violated() const {
    Verdicts verdicts;
    check_questions({log, told, given, stretches, looks}, verdicts);
    return verdicts[Property::kQuestions].violated;
  }
};

TEST(CheckQuestions, FindsNothingWhereAllIsWell) {
  Asking run;
  run.stretches = {whole_stream()};
  EXPECT_EQ(run.violated(), 0U);
}

TEST(CheckQuestions, FindsAQuestionThatIsTwiceInTheLog) {
  Asking run;
  run.log.insert(run.log.begin(), run.log.front());
  EXPECT_EQ(run.violated(), 1U);
}

TEST(CheckQuestions, FindsASecondAnswer) {
  Asking run;
  run.log.push_back(run.log.back());
  EXPECT_EQ(run.violated(), 1U);
}

TEST(CheckQuestions, FindsAnAnswerThatNoOneGave) {
  Asking run;
  run.log[1].value = run.told[0].value = "w";
  run.given[0].said = Given::Effect::kUnknown;
  EXPECT_EQ(run.violated(), 1U);
}

TEST(CheckQuestions, FindsAToolThatWasToldAnotherAnswer) {
  Asking run;
  run.told.push_back({.call_id = "c1", .attempt = 2, .key = "q1", .value = "w"});
  EXPECT_EQ(run.violated(), 1U);
}

TEST(CheckQuestions, FindsAToolThatWasToldBeforeTheLog) {
  Asking run;
  run.log.pop_back();
  run.given[0].said = Given::Effect::kUnknown;
  EXPECT_EQ(run.violated(), 1U);
}

TEST(CheckQuestions, FindsTwoAnswersThatWereBothTaken) {
  Asking run;
  run.given.push_back(Asking::answer("w", Given::Effect::kTaken));
  EXPECT_EQ(run.violated(), 1U);
}

TEST(CheckQuestions, FindsARefusedAnswerThatCounts) {
  Asking run;
  run.given[0].said = Given::Effect::kRefused;
  EXPECT_EQ(run.violated(), 1U);
  // The first time nothing was said to it.
  run.given.push_back(Asking::answer("v", Given::Effect::kUnknown));
  EXPECT_EQ(run.violated(), 0U);
}

TEST(CheckQuestions, AllowsThatALaterAnswerIsLeftOut) {
  Asking run;
  run.given.push_back(Asking::answer("w", Given::Effect::kSettled));
  run.given.push_back(Asking::answer("x", Given::Effect::kRefused));
  EXPECT_EQ(run.violated(), 0U);
}

TEST(CheckQuestions, FindsAStreamThatAsksWhatWasAnsweredBefore) {
  Asking run;
  run.stretches = {whole_stream()};
  run.stretches[0].at_us = 161;
  EXPECT_EQ(run.violated(), 1U);
}

TEST(CheckQuestions, FindsATaskThatAsksWhatWasAnsweredBefore) {
  Asking run;
  run.looks = {{.call_id = "c1", .at_us = 161, .task = {.id = "c1", .asks = {"q1"}}}};
  EXPECT_EQ(run.violated(), 1U);
}

TEST(CheckQuestions, FindsAskingWhatIsNotInTheLog) {
  Asking run;
  run.stretches = {whole_stream()};
  run.stretches[0].messages[3].asks = {"q9"};
  EXPECT_EQ(run.violated(), 1U);
}

}  // namespace
}  // namespace toolway::chaos
