#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/bench/results/judged_table.h"

/// What `bench --chat` found, and whether it is enough. Pure.
namespace toolway::cli::bench::chat {

/// Turns of two requests to the model and one call. `overhead` is what an iteration takes besides
/// the model's part of it.
struct TurnTimes {
  unsigned turns = 0;
  unsigned failed = 0;  ///< that did not end as they should
  double turns_per_s = 0;
  double overhead_p50_ms = 0;
  double overhead_p99_ms = 0;
};

struct StreamFigures {
  unsigned streams = 0;           ///< at once
  unsigned failed = 0;            ///< that did not end as they should
  unsigned whole = 0;             ///< whose stored message has every delta
  double first_delta_p50_ms = 0;  ///< after the model's server began to send it
  double first_delta_p99_ms = 0;
};

struct WaitingFigures {
  unsigned turns = 0;
  double per_turn_kb = 0;  ///< of the chat process
};

/// The window of a conversation that is longer than it.
struct WindowFigures {
  std::size_t messages = 0;
  std::size_t bytes = 0;          ///< of all of them
  std::size_t read_messages = 0;  ///< of Postgres
  std::size_t read_bytes = 0;
  std::size_t may_send_bytes = 0;  ///< what the window can hold at most
  std::size_t sent_messages = 0;
  double p50_ms = 0;  ///< reading, and choosing
  double p99_ms = 0;
};

struct ChatMeasured {
  TurnTimes open;    ///< at a rate
  TurnTimes closed;  ///< as fast as it goes
  StreamFigures streams;
  WaitingFigures waiting;
  WindowFigures window;
};

std::vector<results::JudgedFigure> chat_figures(const ChatMeasured& measured);

OrderedJson chat_json(const ChatMeasured& measured);

}  // namespace toolway::cli::bench::chat
