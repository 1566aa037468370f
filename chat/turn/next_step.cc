#include "chat/turn/next_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "chat/window/window.h"

namespace toolway::chat::turn {
namespace {

using tools::messages::Finish;
using tools::messages::Message;
using tools::messages::Role;
using How = EndTurn::How;

std::string same_call(const tools::messages::Call& call) {
  return call.tool + "\x1f" + call.arguments;
}

/// Whether the last results are one more failure of a call that has failed `most` times in a row.
/// Equal calls of one message count once: the model had not seen an error when it made them.
bool repeats_failure(const std::vector<Message>& messages, unsigned most) {
  std::string repeated;
  unsigned times = 0;
  for (auto i = messages.size(); i-- > begin_of(messages) + 1;) {
    if (messages[i].role != Role::kResults) continue;
    const auto calls = tools::messages::calls_of(messages[i - 1]);
    const auto& results = messages[i].results;
    bool counted = false;
    for (auto n = std::min(calls.size(), results.size()); n-- > 0;) {
      if (repeated.empty()) repeated = same_call(calls[n]);
      if (!results[n].is_error || same_call(calls[n]) != repeated) return false;
      if (!std::exchange(counted, true) && ++times == most) return true;
    }
  }
  return false;
}

/// How a message ends its turn whatever it calls; nothing: it does not.
std::optional<EndTurn> ended_by(const Message& assistant) {
  auto text = tools::messages::text_of(assistant);
  switch (assistant.finish) {
    case Finish::kStop:
    case Finish::kCalls:
    case Finish::kPaused: return std::nullopt;
    case Finish::kLength:
      return EndTurn{How::kCutOff, std::move(text),
                     "the reply was cut off by the limit of tokens (max_tokens); raise it, or ask "
                     "for less at once"};
    case Finish::kRefusal:
      return EndTurn{How::kRefused, std::move(text), "the model declined to answer"};
    case Finish::kFiltered:
      return EndTurn{How::kFiltered, std::move(text),
                     "a content filter of the provider ended the reply"};
    case Finish::kStopped: return EndTurn{How::kStopped, "the turn was stopped"};
  }
  return std::nullopt;
}

NextStep after_assistant(const std::vector<Message>& messages, const TurnLimits& limits) {
  const Message& last = messages.back();
  auto end = ended_by(last);
  if (tools::messages::has_calls(last)) {
    if (!end) return RunCalls{tools::messages::calls_of(last)};
    return DropCalls{last.finish == Finish::kLength ? tools::messages::Interruption::kCutOff
                                                    : tools::messages::Interruption::kNeverStarted};
  }
  if (end) return std::move(*end);
  if (last.finish == Finish::kPaused && iterations_of(messages) < limits.max_iterations)
    return AskProvider{};
  if (last.finish == Finish::kPaused) return EndTurn{How::kMaxIterations, "Max iterations reached"};
  return EndTurn{How::kReplied, tools::messages::text_of(last)};
}

NextStep after_results(const std::vector<Message>& messages, const TurnLimits& limits) {
  if (messages.size() >= 2)
    if (auto end = ended_by(messages[messages.size() - 2])) return std::move(*end);
  if (repeats_failure(messages, limits.max_equal_failures))
    return EndTurn{How::kRepeats, fmt::format("the model made the same failing call {} times",
                                              limits.max_equal_failures)};
  if (iterations_of(messages) >= limits.max_iterations)
    return EndTurn{How::kMaxIterations, "Max iterations reached"};
  return AskProvider{};
}

}  // namespace

std::size_t begin_of(const std::vector<Message>& messages) {
  for (auto i = messages.size(); i-- > 0;)
    if (window::begins_round(messages, i)) return i;
  return 0;
}

unsigned iterations_of(const std::vector<Message>& messages) {
  return static_cast<unsigned>(std::count_if(
      messages.begin() + static_cast<std::ptrdiff_t>(begin_of(messages)), messages.end(),
      [](const Message& message) { return message.role == Role::kAssistant; }));
}

tools::messages::Usage usage_of(const std::vector<Message>& messages) {
  tools::messages::Usage sum;
  for (auto i = begin_of(messages); i < messages.size(); ++i) {
    if (messages[i].role != Role::kAssistant || !messages[i].usage) continue;
    sum.input += messages[i].usage->input;
    sum.output += messages[i].usage->output;
  }
  return sum;
}

NextStep next_step(const std::vector<Message>& messages, const TurnLimits& limits) {
  if (messages.empty()) return EndTurn{How::kNothingToDo, "there is no message to answer"};
  switch (messages.back().role) {
    case Role::kSummary:  // it is none of the messages
    case Role::kSystem: return EndTurn{How::kNothingToDo, "there is no message to answer"};
    case Role::kUser: return AskProvider{};
    case Role::kInjected:
      return iterations_of(messages) < limits.max_iterations
                 ? NextStep(AskProvider{})
                 : EndTurn{How::kMaxIterations, "Max iterations reached"};
    case Role::kAssistant: return after_assistant(messages, limits);
    case Role::kResults: return after_results(messages, limits);
  }
  return EndTurn{How::kNothingToDo, {}};
}

}  // namespace toolway::chat::turn
