#include "cli/bench/load/call_book.h"

#include "cli/bench/connections/wire.h"

namespace toolway::cli::bench::load {

figures::CallTimes times_of(const CallBook::Call& call) {
  const auto ms = [&](std::int64_t ns) {
    return static_cast<float>(static_cast<double>(ns - call.due) / 1e6);
  };
  return {.accepted = ms(call.accepted),
          .first_event = ms(call.first),
          .completion = ms(call.completed)};
}

Seen judge_event(CallBook::Call& call, std::string_view type, std::string_view fields) {
  if (type == "completed") return call.completed != 0 ? Seen::kRepeated : Seen::kCompleted;
  if (type == "started") {
    const auto attempt = connections::next_number_field(fields, "\"attempt\"");
    if (attempt <= call.attempt) return Seen::kRepeated;
    const auto before = std::exchange(call.attempt, attempt);
    return before == 0 ? Seen::kStarted : Seen::kStartedAgain;
  }
  const auto seq = connections::next_number_field(fields, "\"seq\"");
  if (seq <= call.last_seq) return Seen::kRepeated;
  call.last_seq = seq;
  return Seen::kProgress;
}

}  // namespace toolway::cli::bench::load
