#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "base/os/child.h"
#include "tests/support/awaiting.h"

namespace toolway::test {

/// What a shell prints, started with `options`.
inline std::string output_of(os::ChildOptions options, const std::string& script,
                             os::ChildEnd* end = nullptr) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  options.argv = {"/bin/sh", "-c", script};
  options.files.emplace_back(1, ends[1]);
  auto child = os::Child::start(options);
  ::close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(n));
  ::close(ends[0]);
  if (!child) return child.error().message;
  const auto ended = (*child)->wait(kPatience);
  if (end != nullptr && ended) *end = *ended;
  return text;
}

}  // namespace toolway::test
