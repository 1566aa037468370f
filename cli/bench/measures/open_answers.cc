#include "cli/bench/measures/open_answers.h"

#include <poll.h>
#include <unistd.h>

#include "base/try.h"
#include "cli/bench/connections/sockets.h"

namespace toolway::cli::bench::measures {

OpenAnswers::~OpenAnswers() {
  for (const int fd : fds_) close(fd);
}

Result<void> OpenAnswers::open(const process::HostPort& where, const std::string& request) {
  ASSIGN_OR_RETURN(const int fd, connections::dial(where));
  fds_.push_back(fd);
  if (connections::write_all(fd, request)) return {};
  return fail(ErrorCode::kBusUnavailable, "the gateway closed a connection");
}

Result<void> OpenAnswers::begun() const {
  constexpr int kTimeoutMs = 30'000;
  for (const int fd : fds_) {
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, kTimeoutMs) <= 0)
      return fail(ErrorCode::kTimeout, "a stream did not begin within 30 s");
    std::string in;
    const bool there = connections::receive(fd, in);
    if (!there || !in.starts_with("HTTP/1.1 200"))
      return fail(ErrorCode::kInvalidRequest, "a stream was not opened: " + in.substr(0, 500));
  }
  return {};
}

}  // namespace toolway::cli::bench::measures
