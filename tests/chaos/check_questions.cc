#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/chaos/mcp_checker.h"

namespace toolway::chaos {
namespace {

using Key = std::pair<std::string, std::string>;  ///< of a call, and of its question

/// One question, from all sides.
struct OneQuestion {
  unsigned asked = 0;     ///< in the log
  unsigned answered = 0;  ///< likewise
  std::string value;      ///< of the answer in the log
  std::vector<const Told*> told;
  std::vector<const Given*> given;
};

class QuestionCheck {
 public:
  explicit QuestionCheck(Verdicts& verdicts) : verdicts_(verdicts) {}

  void collect(const QuestionsSeen& seen) {
    for (const auto& event : seen.log) {
      auto& question = questions_[{event.call_id, event.key}];
      if (event.answered) {
        ++question.answered;
        question.value = event.value;
      } else {
        ++question.asked;
      }
    }
    for (const auto& told : seen.told) questions_[{told.call_id, told.key}].told.push_back(&told);
    for (const auto& given : seen.given)
      questions_[{given.call_id, given.key}].given.push_back(&given);
  }

  void judge() {
    for (const auto& [key, question] : questions_) {
      verdicts_.checked(Property::kQuestions);
      judge_log(key, question);
      judge_told(key, question);
      for (const auto* given : question.given) judge_given(key, question, *given);
    }
  }

  /// A client was asked by a request that it had sent at `at_us`.
  void judge_asking(const Key& key, std::int64_t at_us, const std::string& who) {
    const auto found = questions_.find(key);
    const bool known = found != questions_.end() && found->second.asked > 0;
    verdicts_.checked(Property::kQuestions);
    if (!known) return wrong(key, who + " asks what is not in the log");
    for (const auto* given : found->second.given) {
      const bool settled =
          given->said == Given::Effect::kTaken || given->said == Given::Effect::kSettled;
      if (settled && given->done_us < at_us)
        return wrong(key, fmt::format("{} asks what was answered through {}", who, given->face));
    }
  }

 private:
  void wrong(const Key& key, const std::string& what) {
    verdicts_.violated(Property::kQuestions,
                       {fmt::format("question {}: {}", key.second, what), {}, key.first});
  }

  void judge_log(const Key& key, const OneQuestion& question) {
    if (question.asked > 1) wrong(key, fmt::format("asked {} times", question.asked));
    if (question.answered > 1) wrong(key, fmt::format("answered {} times", question.answered));
    if (question.answered > 0 && question.asked == 0) wrong(key, "answered, and never asked");
    const auto of_log = [&](const Given* given) { return given->value == question.value; };
    if (question.answered > 0 && std::ranges::none_of(question.given, of_log))
      wrong(key, fmt::format("the log has an answer that no one gave, '{}'", question.value));
  }

  void judge_told(const Key& key, const OneQuestion& question) {
    for (const auto* told : question.told) {
      verdicts_.checked(Property::kQuestions);
      if (question.answered == 0)
        wrong(key, fmt::format("the tool was told '{}', which the log has not", told->value));
      else if (told->value != question.value)
        wrong(key,
              fmt::format("the tool was told '{}', the log has '{}'", told->value, question.value));
    }
  }

  /// What was said to an answer is what became of it.
  void judge_given(const Key& key, const OneQuestion& question, const Given& given) {
    const bool taken = question.answered > 0 && question.value == given.value;
    if (given.said == Given::Effect::kTaken && !taken)
      wrong(key, fmt::format("the answer '{}' was taken, the log has '{}'", given.value,
                             question.value));
    // A refused one may repeat one without an answer, or say no as another one does.
    const bool twice = std::ranges::count_if(question.given, [&](const Given* other) {
                         return other->value == given.value;
                       }) > 1;
    if (given.said == Given::Effect::kRefused && taken && !twice)
      wrong(key, fmt::format("the answer '{}' was refused, and the log has it", given.value));
  }

  Verdicts& verdicts_;
  std::map<Key, OneQuestion> questions_;
};

}  // namespace

void check_questions(const QuestionsSeen& seen, Verdicts& verdicts) {
  QuestionCheck check(verdicts);
  check.collect(seen);
  check.judge();
  for (const auto& stretch : seen.stretches)
    for (const auto& message : stretch.messages)
      for (const auto& key : message.asks)
        check.judge_asking({message.call_id.empty() ? stretch.call_id : message.call_id, key},
                           stretch.at_us, fmt::format("{} {}", stretch.method, stretch.revision));
  for (const auto& look : seen.looks)
    for (const auto& key : look.task.asks)
      check.judge_asking({look.call_id, key}, look.at_us,
                         fmt::format("{} {}", look.method, look.revision));
}

}  // namespace toolway::chaos
