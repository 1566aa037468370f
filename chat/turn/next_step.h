#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/messages/history.h"

/// What comes next in a turn. Pure.
namespace toolway::chat::turn {

struct TurnLimits {
  unsigned max_iterations = 10;     ///< requests to the provider in one turn
  unsigned max_equal_failures = 5;  ///< of the same call, in a row
};

/// Send the conversation to the provider.
struct AskProvider {};
/// Run these calls, and append their results.
struct RunCalls {
  std::vector<tools::messages::Call> calls;
};
/// Append this in place of the results of the last message's calls: they must not run.
struct DropCalls {
  tools::messages::Interruption why = tools::messages::Interruption::kNeverStarted;
};
/// The turn has ended.
struct EndTurn {
  enum class How {
    kReplied,
    kCutOff,         ///< the limit of tokens cut the reply, or its calls, off
    kRefused,        ///< the model declined
    kFiltered,       ///< a content filter ended it
    kStopped,        ///< it was stopped while the model replied
    kMaxIterations,  ///< the model still calls tools
    kRepeats,        ///< the model repeats a call that fails
    kNothingToDo,    ///< there is no message to answer
  };
  How how = How::kReplied;
  std::string text{};    ///< the reply, or why there is none
  std::string notice{};  ///< of a reply that is not what was asked for: why
};
using NextStep = std::variant<AskProvider, RunCalls, DropCalls, EndTurn>;

/// Decides by the history alone: a turn that was interrupted continues where it was.
NextStep next_step(const std::vector<tools::messages::Message>& messages, const TurnLimits& limits);

/// Where the turn that is going on begins.
std::size_t begin_of(const std::vector<tools::messages::Message>& messages);
/// How many requests it has had.
unsigned iterations_of(const std::vector<tools::messages::Message>& messages);
/// The tokens of those that were counted.
tools::messages::Usage usage_of(const std::vector<tools::messages::Message>& messages);

}  // namespace toolway::chat::turn
