#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/error.h"
#include "chat/providers/provider.h"
#include "chat/turn/next_step.h"
#include "tools/messages/message.h"

namespace toolway::chat::engine {

/// How a turn ended.
struct Reply {
  enum class How {
    kReplied,
    kCutOff,    ///< by the limit of tokens
    kRefused,   ///< the model declined
    kFiltered,  ///< by a content filter
    kMaxIterations,
    kRepeats,  ///< the model repeats a call that fails
    kStopped,  ///< by `stop`
    kFailed,   ///< the provider, the tools, or the memory; `error` says which
  };
  How how = How::kReplied;
  std::string text{};    ///< the reply, or why there is none
  std::string notice{};  ///< of kCutOff, kRefused and kFiltered: what happened to the reply
  std::string error{};   ///< of kFailed: not_configured, rate_limited … or a code of docs/errors.md
  bool passes = false;   ///< of kFailed: the same may succeed later
  std::optional<std::chrono::milliseconds> retry_after{};  ///< where that is known
  unsigned iterations = 0;                                 ///< requests to the model
  unsigned cut = 0;                ///< of them: such that left out a part of the conversation
  tools::messages::Usage usage{};  ///< of all of them
  bool ok() const { return how == How::kReplied; }
};

/// Whether what failed so may succeed later.
bool is_temporary(ErrorCode code);

Reply ended(const turn::EndTurn& end);
/// kStopped where that is what kept the provider from answering.
Reply failed(const providers::ProviderError& error);
Reply failed(const Error& error);
Reply failure(std::string message, std::string_view code);
Reply stopped();

}  // namespace toolway::chat::engine
