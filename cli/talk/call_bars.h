#pragma once

#include <optional>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "cli/client/http_client.h"
#include "cli/terminal/style.h"

namespace toolway::cli::talk {

/// The last line of a terminal while a turn runs: how far the call is that reported last. Elsewhere
/// there is none. It follows the session's events on a thread of its own, and what it cannot learn
/// it does not show.
class CallBars {
 public:
  CallBars(client::ClientOptions http, const std::string& session, const terminal::Style& style);

  void begin_turn();
  void end_turn();
  /// Runs `write`, which prints, where the line was. `in_line`: whether that left a line
  /// unfinished, which a bar would end.
  template <typename Write>
  void above(Write write) {
    const MutexLock lock(mutex_);
    clear();
    in_line_ = write();
  }

 private:
  void follow(const std::stop_token& stop);
  /// An event of the session, as JSON.
  void take(const OrderedJson& event);
  void clear() REQUIRES(mutex_);

  const client::ClientOptions http_;
  const std::string path_;
  const terminal::Style style_;
  const bool shown_;  ///< on a terminal
  Mutex mutex_;
  bool in_line_ GUARDED_BY(mutex_) = false;
  std::string call_ GUARDED_BY(mutex_);  ///< whose bar is there; empty: none is
  std::jthread thread_;
};

/// What the line says of an event of progress; empty: it is none, or one of a turn. Pure.
std::string bar_line(const OrderedJson& event, const terminal::Style& style);

}  // namespace toolway::cli::talk
