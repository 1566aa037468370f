#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include "cli/mcp_serve/answer_reader.h"
#include "cli/mcp_serve/reached.h"
#include "cli/mcp_serve/session_board.h"

namespace toolway::cli::mcp_serve {

/// How long a listener waits before it asks for a stream again: each time twice as long, until one
/// has lasted as long as the longest.
struct ListenPace {
  std::chrono::milliseconds first{1'000};
  std::chrono::milliseconds longest{60'000};
};

/// Holds the stream on which a gateway says what happens without a request, for the session in
/// force (2025-11-25, basic/transports, "Listening for Messages from the Server"), and passes on
/// what comes. After a gap, in which a change may have been missed, the client is told that the
/// lists have changed. On a thread of its own; its end ends the stream.
class ChangeListener {
 public:
  /// `reached` and `board` outlive it.
  ChangeListener(const Reached& reached, const SessionBoard& board, Sinks sinks,
                 ListenPace pace = {});

 private:
  enum class Next { kAgain, kNever };

  void run(const std::stop_token& stop);
  void listen(const Agreed& agreed, const std::stop_token& stop);
  Next ask_once(const Agreed& agreed, const std::stop_token& stop);
  void opened(const Agreed& agreed);
  void message(const std::string& text);

  const Reached& reached_;
  const SessionBoard& board_;
  const Sinks sinks_;
  const ListenPace pace_;
  // Of the thread.
  bool missed_ = false;  ///< a change may have been
  std::chrono::milliseconds asked_to_wait_{};
  std::string trouble_{};
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace toolway::cli::mcp_serve
