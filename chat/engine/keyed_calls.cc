#include "chat/engine/keyed_calls.h"

#include <utility>

#include "base/try.h"

namespace toolway::chat::engine {
namespace {

using std::chrono::milliseconds;
using Results = KeyedCalls::Results;
using Start = KeyedCalls::Start;

/// What a request may take besides the wait for its calls.
constexpr milliseconds kMargin{20'000};
/// To learn what has become of calls after a stop.
constexpr milliseconds kMarginAfterStop{5'000};

Result<Results> cancel(KeyedCalls& calls) {
  auto answer = calls.ask({.start = Start::kNo, .wait = {}, .margin = kMarginAfterStop}, {});
  if (!answer) return fail(answer.error().error);
  auto results = *std::move(answer);
  // Whether it is in time or not: the history says that it was stopped.
  for (const auto& result : results)
    if (result.detached) calls.cancel(result.ran_as);
  std::erase_if(results, &tools::messages::CallResult::detached);
  return results;
}

}  // namespace

Result<Results> run_calls(KeyedCalls& calls, milliseconds wait, const Pause& pause,
                          const CallsStop& stop) {
  const KeyedCalls::Ask what{.start = Start::kYes, .wait = wait, .margin = kMargin};
  auto results = ask_again([&] { return calls.ask(what, stop.stop); }, pause, stop.stop);
  if (!stop.stop.stop_requested()) return results;
  if (stop.leave.stop_requested()) return fail(ErrorCode::kCancelled, "another process asks again");
  return cancel(calls);
}

Result<Results> settle_calls(KeyedCalls& calls, milliseconds wait, const Pause& pause,
                             const std::stop_token& stop) {
  const KeyedCalls::Ask what{.start = Start::kNo, .wait = wait, .margin = kMargin};
  return ask_again([&] { return calls.ask(what, stop); }, pause, stop);
}

}  // namespace toolway::chat::engine
