#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace toolway::cli::terminal {

/// A line that overwrites itself on a terminal, and is a line elsewhere.
class ProgressLine {
 public:
  void operator()(const std::string& text) const {
    fmt::print(stderr, "{}{}{}", tty_ ? "\r\x1b[K" : "", text, tty_ ? "" : "\n");
    std::fflush(stderr);
  }
  void clear() const {
    if (tty_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  bool tty_ = isatty(STDERR_FILENO) != 0;
};

}  // namespace toolway::cli::terminal
