#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "chat/providers/provider.h"
#include "chat/turn/next_step.h"
#include "tools/messages/message.h"

/// What an engine is made with, and what it tells.
namespace toolway::chat::engine {

/// Which news of calls that outlived their turn's wait the model is told.
enum class Inject {
  kCompletions,  ///< how they ended
  kProgress,     ///< and how far they are
  kNone,
};

struct EngineConfig {
  providers::ModelOptions options{};
  std::string system_prompt{};
  std::uint64_t context_window = 128'000;  ///< tokens of the model's window
  std::size_t max_history = 0;             ///< messages that are sent at most; 0: no limit
  bool enable_summarization = false;       ///< of what is left out, sent in its place
  turn::TurnLimits limits{};
  std::size_t max_result_bytes = 100'000;  ///< of a result that are kept and shown to the model
  Inject inject = Inject::kCompletions;
  std::uint64_t max_injected_tokens = 4'000;  ///< of a result that comes later
  std::string continuation_prompt{};  ///< sent after results, to servers that need one; not kept
};

/// How a turn is told to stop, also before it begins.
struct Stops {
  std::stop_token end{};    ///< as `stop()` does
  std::stop_token leave{};  ///< another process continues it: nothing that is not whole is stored
};

/// What is told while a turn runs, on the thread that called `send`. Any may be empty.
struct Events {
  std::function<void(std::string_view text)> on_text{};  ///< a piece of the reply
  std::function<void(const tools::messages::Call& call, const std::string& shown_name)> on_call{};
  std::function<void(const tools::messages::CallResult& result)> on_result{};
  std::function<void(std::string_view text)> on_status{};         ///< a line for people
  std::function<void(const providers::Retry& retry)> on_retry{};  ///< of a request to the model
  std::function<void(std::size_t calls)> on_told{};  ///< the model is told how these ended
};

}  // namespace toolway::chat::engine
