#include "cli/bench/chat/waiting_turns.h"

#include <fmt/format.h>

#include <functional>
#include <thread>

#include "base/try.h"
#include "cli/bench/connections/exchange.h"
#include "cli/bench/figures/memory.h"

namespace toolway::cli::bench::chat {
namespace {

constexpr std::chrono::seconds kTimeout{60};
constexpr std::chrono::milliseconds kLookInterval{20};
/// Memory that was freed goes back to the system within two seconds.
constexpr std::chrono::seconds kSettled{3};

Result<void> until(const std::function<Result<bool>()>& reached, const std::string& what) {
  for (const auto since = Steady::now(); Steady::now() - since < kTimeout;
       std::this_thread::sleep_for(kLookInterval)) {
    ASSIGN_OR_RETURN(const bool done, reached());
    if (done) return {};
  }
  return fail(ErrorCode::kTimeout, what + " within a minute");
}

/// Whether no turn runs in that session.
Result<bool> is_free(const ChatTarget& target, const std::string& session,
                     connections::Exchange& exchange) {
  ASSIGN_OR_RETURN(const auto answer,
                   exchange.ask(session_request(target, session, "/messages?limit=1", "")));
  return answer.body.find("\"turn\":null") != std::string_view::npos;
}

}  // namespace

Result<WaitingFigures> measure_waiting(const ChatTarget& target, unsigned count) {
  RETURN_IF_ERROR(open_sessions(target, "wait", count));
  std::this_thread::sleep_for(kSettled);
  const auto before_kb = figures::resident_kb(target.chat_pid);
  RETURN_IF_ERROR(connections::ask_all(target.where, count, [&](std::size_t i) {
    return message_request(target, session_name(target, "wait", i), fmt::format("wait {}", i), "");
  }));
  if (!until([&]() -> Result<bool> { return target.model.held() >= count; }, ""))
    return fail(ErrorCode::kTimeout,
                fmt::format("only {} of {} turns asked the model within a minute",
                            target.model.held(), count));
  std::this_thread::sleep_for(kSettled);
  const auto with_kb = figures::resident_kb(target.chat_pid);
  target.model.release();
  ASSIGN_OR_RETURN(auto exchange, connections::Exchange::create(target.where));
  for (unsigned i = 0; i < count; ++i)
    RETURN_IF_ERROR(
        until([&] { return is_free(target, session_name(target, "wait", i), exchange); },
              "a turn that waited did not end"));
  return WaitingFigures{.turns = count,
                        .per_turn_kb = static_cast<double>(with_kb - before_kb) / count};
}

}  // namespace toolway::cli::bench::chat
