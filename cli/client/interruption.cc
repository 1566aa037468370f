#include "cli/client/interruption.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/mutex.h"

namespace toolway::cli::client {

Interruption::Interruption(std::string sentence)
    : sentence_(std::move(sentence)), watch_([this] {
        if (const auto signal = signals_.wait()) leave(*signal);
      }) {}

Interruption::~Interruption() {
  signals_.wake();
  watch_.join();
}

void Interruption::set_sentence(std::string sentence) {
  const MutexLock lock(mutex_);
  sentence_ = std::move(sentence);
}

void Interruption::leave(int signal) {
  const MutexLock lock(mutex_);
  std::fflush(stdout);
  // A terminal has shown ^C.
  fmt::print(stderr, "{}toolway: {}\n", isatty(STDERR_FILENO) != 0 ? "\n" : "", sentence_);
  std::fflush(stderr);
  // Main's thread may be in the middle of a request.
  _exit(128 + signal);
}

}  // namespace toolway::cli::client
