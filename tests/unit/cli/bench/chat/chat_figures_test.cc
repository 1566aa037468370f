#include "cli/bench/chat/chat_figures.h"

#include <gtest/gtest.h>

#include <functional>

namespace toolway::cli::bench::chat {
namespace {

ChatMeasured good() {
  return {.open = {.turns = 1000,
                   .failed = 0,
                   .turns_per_s = 100,
                   .overhead_p50_ms = 5,
                   .overhead_p99_ms = 25},
          .closed = {.turns = 2500, .failed = 0, .turns_per_s = 250},
          .streams = {.streams = 200,
                      .failed = 0,
                      .whole = 200,
                      .first_delta_p50_ms = 1,
                      .first_delta_p99_ms = 10},
          .waiting = {.turns = 1000, .per_turn_kb = 96},
          .window = {.messages = 10'000,
                     .bytes = 4'000'000,
                     .read_messages = 1600,
                     .read_bytes = 768'000,
                     .may_send_bytes = 768'000,
                     .sent_messages = 500,
                     .p50_ms = 5,
                     .p99_ms = 9}};
}

std::vector<bool> verdicts(const ChatMeasured& measured) {
  std::vector<bool> all;
  for (const auto& figure : chat_figures(measured)) all.push_back(figure.holds);
  return all;
}

TEST(ChatFigures, JudgeEachByItsTarget) {
  EXPECT_EQ(verdicts(good()), std::vector<bool>(7, true));
  using Spoil = std::function<void(ChatMeasured&)>;
  const std::pair<std::vector<std::size_t>, Spoil> cases[] = {
      {{0}, [](auto& one) { one.open.overhead_p50_ms = 5.1; }},
      {{0}, [](auto& one) { one.open.overhead_p99_ms = 25.1; }},
      {{0}, [](auto& one) { one.open.failed = 1; }},
      {{0}, [](auto& one) { one.open.turns = 0; }},
      {{1}, [](auto& one) { one.closed.turns_per_s = 249; }},
      {{1}, [](auto& one) { one.closed.failed = 1; }},
      {{2}, [](auto& one) { one.streams.whole = 199; }},
      {{3}, [](auto& one) { one.streams.first_delta_p99_ms = 10.1; }},
      {{2, 3}, [](auto& one) { one.streams.failed = 1; }},
      {{2, 3}, [](auto& one) { one.streams = {}; }},
      {{4}, [](auto& one) { one.waiting.per_turn_kb = 96.1; }},
      {{4}, [](auto& one) { one.waiting = {}; }},
      {{5}, [](auto& one) { one.window.p50_ms = 5.1; }},
      {{6}, [](auto& one) { one.window.read_bytes = 768'001; }},
      {{5, 6}, [](auto& one) { one.window = {}; }}};
  for (const auto& [broken, spoil] : cases) {
    auto measured = good();
    spoil(measured);
    auto wanted = std::vector<bool>(7, true);
    for (const auto figure : broken) wanted[figure] = false;
    EXPECT_EQ(verdicts(measured), wanted) << broken.front() << to_text(chat_json(measured));
  }
}

TEST(ChatFigures, SayWhatFailed) {
  auto measured = good();
  measured.open.failed = 3;
  measured.streams.failed = 2;
  EXPECT_EQ(chat_figures(measured)[0].measured, "5.0 / 25.0 ms; 3 FAILED");
  EXPECT_EQ(chat_figures(measured)[2].measured, "200; 2 FAILED");
}

}  // namespace
}  // namespace toolway::cli::bench::chat
