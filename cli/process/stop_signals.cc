#include "cli/process/stop_signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace toolway::cli {

StopSignals::StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd_ < 0 || wake_fd_ < 0) {
    std::perror("signalfd");
    std::abort();
  }
}

StopSignals::~StopSignals() {
  close(fd_);
  close(wake_fd_);
}

void StopSignals::wake() const {
  const std::uint64_t one = 1;
  // It can only fail when it is full, and then `wait` ends anyway.
  if (write(wake_fd_, &one, sizeof one) < 0) return;
}

std::optional<int> StopSignals::wait(std::optional<std::chrono::milliseconds> timeout) {
  pollfd ready[] = {{.fd = fd_, .events = POLLIN, .revents = 0},
                    {.fd = wake_fd_, .events = POLLIN, .revents = 0}};
  int polled = 0;
  do polled = ::poll(ready, 2, timeout ? static_cast<int>(timeout->count()) : -1);
  while (polled < 0 && errno == EINTR && !timeout);
  if (std::uint64_t count = 0;
      polled > 0 && (ready[1].revents & POLLIN) != 0 && read(wake_fd_, &count, sizeof count) < 0)
    return std::nullopt;
  signalfd_siginfo info{};
  if (polled > 0 && (ready[0].revents & POLLIN) != 0 &&
      read(fd_, &info, sizeof info) == sizeof info)
    return static_cast<int>(info.ssi_signo);
  return std::nullopt;
}

}  // namespace toolway::cli
