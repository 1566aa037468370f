#include "cli/bench/load/call_book.h"

#include "cli/bench/connections/wire.h"

namespace toolway::cli::bench::load {

namespace {

bool runs_once(std::string_view fields) {
  std::size_t from = 0;
  return connections::next_text_field(fields, "\"tool\"", from) == kRunsOnceTool &&
         connections::next_text_field(fields, "\"namespace\"", from) == "bench";
}

bool ended_unknown(std::string_view fields) {
  std::size_t from = 0;
  return connections::next_text_field(fields, "\"outcome\"", from) == "unknown";
}

}  // namespace

figures::CallTimes times_of(const CallBook::Call& call) {
  const auto ms = [&](std::int64_t ns) {
    return static_cast<float>(static_cast<double>(ns - call.due) / 1e6);
  };
  return {.accepted = ms(call.accepted),
          .first_event = ms(call.first),
          .completion = ms(call.completed)};
}

Seen judge_event(CallBook::Call& call, std::string_view type, std::string_view fields) {
  if (type == "completed") {
    if (call.completed != 0) return Seen::kRepeated;
    return ended_unknown(fields) && runs_once(fields) ? Seen::kEndedUnknown : Seen::kCompleted;
  }
  if (type == "started") {
    const auto attempt = connections::next_number_field(fields, "\"attempt\"");
    if (attempt <= call.attempt) return Seen::kRepeated;
    const auto before = std::exchange(call.attempt, attempt);
    if (attempt > 1 && runs_once(fields)) return Seen::kRanTwice;
    return before == 0 ? Seen::kStarted : Seen::kStartedAgain;
  }
  const auto seq = connections::next_number_field(fields, "\"seq\"");
  if (seq <= call.last_seq) return Seen::kRepeated;
  call.last_seq = seq;
  return Seen::kProgress;
}

}  // namespace toolway::cli::bench::load
