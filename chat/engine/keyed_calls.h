#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/messages/message.h"

/// How the calls of a message are run by a gateway that remembers them: what a ToolBox does for
/// `run` and `settle`, whatever the way to the gateway is.
namespace toolway::chat::engine {

/// Why a gateway gave no answer.
struct NoAnswer {
  Error error;
  bool may_ask_again = false;
};

/// Lets time pass; false: a stop was requested.
using Pause = std::function<bool(std::chrono::milliseconds, const std::stop_token&)>;

/// A gateway that ends, or does not answer, is asked again this long.
inline constexpr std::chrono::milliseconds kAskAgainFor{60'000};
inline constexpr std::chrono::milliseconds kAskAgainAfter{1'000};

/// Asks until there is an answer that would stay the same, for a minute. `ask` returns an expected
/// whose error is NoAnswer.
template <typename Ask>
auto ask_again(Ask ask, const Pause& pause, const std::stop_token& stop)
    -> Result<typename decltype(ask())::value_type> {
  for (std::chrono::milliseconds waited{0};; waited += kAskAgainAfter) {
    auto answer = ask();
    if (answer) return *std::move(answer);
    if (!answer.error().may_ask_again || waited >= kAskAgainFor || !pause(kAskAgainAfter, stop))
      return fail(answer.error().error);
  }
}

/// The calls of one message, as a gateway is asked for them under their key. One thread at a time.
class KeyedCalls {
 public:
  using Results = std::vector<tools::messages::CallResult>;
  /// Whether calls that were not started may be; else they are given up.
  enum class Start { kYes, kNo };
  struct Ask {
    Start start = Start::kYes;
    std::chrono::milliseconds wait{};    ///< for the ends of calls that run
    std::chrono::milliseconds margin{};  ///< what the answer may take besides
  };
  virtual ~KeyedCalls() = default;
  /// One request. One result for each call; one that has not ended is detached. Ends soon after
  /// `stop` is requested.
  virtual tl::expected<Results, NoAnswer> ask(const Ask& ask, const std::stop_token& stop) = 0;
  /// A call that runs is not wanted any more. Whether it is in time does not matter.
  virtual void cancel(const std::string& call) = 0;
};

/// When `run_calls` is to end early.
struct CallsStop {
  std::stop_token stop{};
  std::stop_token leave{};  ///< of a stop: another process asks for the calls
};

/// Runs them; those that take longer than `wait` are detached. A gateway that does not answer is
/// asked again for a minute. After a stop, what has a result keeps it, the rest is cancelled and
/// has none, and nothing is started. Errors: nothing is known of any; kCancelled: they are left to
/// another process.
Result<KeyedCalls::Results> run_calls(KeyedCalls& calls, std::chrono::milliseconds wait,
                                      const Pause& pause, const CallsStop& stop);
/// The same without starting any: one that was not started never is, and its result says so.
Result<KeyedCalls::Results> settle_calls(KeyedCalls& calls, std::chrono::milliseconds wait,
                                         const Pause& pause, const std::stop_token& stop);

}  // namespace toolway::chat::engine
