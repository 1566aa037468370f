#include "cli/bench/chat/chat_figures.h"

#include <fmt/format.h>

namespace toolway::cli::bench::chat {
namespace {

// Of the chat engine's issue.
constexpr double kMaxOverheadP50Ms = 5;
constexpr double kMaxOverheadP99Ms = 25;
constexpr double kMinTurnsPerS = 250;
constexpr double kMaxFirstDeltaMs = 10;
constexpr double kMaxPerTurnKb = 96;
constexpr double kMaxWindowMs = 5;

std::string with_failed(std::string text, unsigned failed) {
  return failed == 0 ? text : fmt::format("{}; {} FAILED", text, failed);
}

bool well(const TurnTimes& turns) { return turns.turns > 0 && turns.failed == 0; }

OrderedJson json_of(const TurnTimes& turns) {
  return {{"turns", turns.turns},
          {"failed", turns.failed},
          {"turns_per_s", turns.turns_per_s},
          {"overhead_p50_ms", turns.overhead_p50_ms},
          {"overhead_p99_ms", turns.overhead_p99_ms}};
}

}  // namespace

std::vector<results::JudgedFigure> chat_figures(const ChatMeasured& measured) {
  const auto& [open, closed, streams, waiting, window] = measured;
  const double kb = 1024;
  return {
      {fmt::format("overhead of an iteration, p50 / p99, at {:.0f} turns/s", open.turns_per_s),
       with_failed(fmt::format("{:.1f} / {:.1f} ms", open.overhead_p50_ms, open.overhead_p99_ms),
                   open.failed),
       fmt::format("{} / {} ms", kMaxOverheadP50Ms, kMaxOverheadP99Ms),
       well(open) && open.overhead_p50_ms <= kMaxOverheadP50Ms &&
           open.overhead_p99_ms <= kMaxOverheadP99Ms},
      {"turns of two iterations and one call",
       with_failed(fmt::format("{:.0f} turns/s", closed.turns_per_s), closed.failed),
       fmt::format("{} turns/s", kMinTurnsPerS),
       well(closed) && closed.turns_per_s >= kMinTurnsPerS},
      {fmt::format("{} turns that stream at once: stored with every delta", streams.streams),
       with_failed(fmt::format("{}", streams.whole), streams.failed),
       fmt::format("{}", streams.streams),
       streams.streams > 0 && streams.failed == 0 && streams.whole == streams.streams},
      {"their first delta, p50 / p99, after the model's",
       fmt::format("{:.1f} / {:.1f} ms", streams.first_delta_p50_ms, streams.first_delta_p99_ms),
       fmt::format("p99 {} ms", kMaxFirstDeltaMs),
       streams.streams > 0 && streams.failed == 0 &&
           streams.first_delta_p99_ms <= kMaxFirstDeltaMs},
      {fmt::format("memory of each of {} turns that wait for the model", waiting.turns),
       fmt::format("{:.1f} KB", waiting.per_turn_kb), fmt::format("{} KB", kMaxPerTurnKb),
       waiting.turns > 0 && waiting.per_turn_kb <= kMaxPerTurnKb},
      {fmt::format("the window of {} messages, p50 / p99", window.messages),
       fmt::format("{:.1f} / {:.1f} ms", window.p50_ms, window.p99_ms),
       fmt::format("p50 {} ms", kMaxWindowMs),
       window.sent_messages > 0 && window.p50_ms <= kMaxWindowMs},
      {"what is read for it",
       fmt::format(
           "{:.0f} of {:.0f} KB, {} messages for {}", static_cast<double>(window.read_bytes) / kb,
           static_cast<double>(window.bytes) / kb, window.read_messages, window.sent_messages),
       fmt::format("{:.0f} KB", static_cast<double>(window.may_send_bytes) / kb),
       window.sent_messages > 0 && window.read_bytes <= window.may_send_bytes}};
}

OrderedJson chat_json(const ChatMeasured& measured) {
  const auto& [open, closed, streams, waiting, window] = measured;
  return {{"open", json_of(open)},
          {"closed", json_of(closed)},
          {"streams",
           {{"streams", streams.streams},
            {"failed", streams.failed},
            {"whole", streams.whole},
            {"first_delta_p50_ms", streams.first_delta_p50_ms},
            {"first_delta_p99_ms", streams.first_delta_p99_ms}}},
          {"waiting", {{"turns", waiting.turns}, {"per_turn_kb", waiting.per_turn_kb}}},
          {"window",
           {{"messages", window.messages},
            {"bytes", window.bytes},
            {"read_messages", window.read_messages},
            {"read_bytes", window.read_bytes},
            {"may_send_bytes", window.may_send_bytes},
            {"sent_messages", window.sent_messages},
            {"p50_ms", window.p50_ms},
            {"p99_ms", window.p99_ms}}}};
}

}  // namespace toolway::cli::bench::chat
