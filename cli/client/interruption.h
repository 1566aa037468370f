#pragma once

#include <string>
#include <thread>

#include "base/mutex.h"
#include "cli/process/stop_signals.h"

namespace toolway::cli::client {

/// While one exists, Ctrl-C (and SIGTERM) ends the program at once, with a sentence on standard
/// error that says what continues without it, and with the status of a shell: 128 and the signal's
/// number. One at a time, in main's thread.
class Interruption {
 public:
  explicit Interruption(std::string sentence);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// The sentence from here on.
  void set_sentence(std::string sentence);

 private:
  void leave(int signal);

  process::StopSignals signals_;
  Mutex mutex_;
  std::string sentence_ GUARDED_BY(mutex_);
  std::jthread watch_;  // last: it uses all of the above
};

}  // namespace toolway::cli::client
