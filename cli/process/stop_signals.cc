#include "cli/process/stop_signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace toolway::cli::process {

StopSignals::StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  signals_ = os::FileDescriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_ || !woken_) {
    std::perror("signalfd");
    std::abort();
  }
}

std::optional<int> StopSignals::wait(std::optional<std::chrono::milliseconds> timeout) {
  pollfd ready[] = {{.fd = signals_.get(), .events = POLLIN, .revents = 0},
                    {.fd = woken_.get(), .events = POLLIN, .revents = 0}};
  int polled = 0;
  do polled = ::poll(ready, 2, timeout ? static_cast<int>(timeout->count()) : -1);
  while (polled < 0 && errno == EINTR && !timeout);
  if (polled > 0 && (ready[1].revents & POLLIN) != 0) woken_.clear();
  signalfd_siginfo info{};
  if (polled > 0 && (ready[0].revents & POLLIN) != 0 &&
      read(signals_.get(), &info, sizeof info) == sizeof info)
    return static_cast<int>(info.ssi_signo);
  return std::nullopt;
}

}  // namespace toolway::cli::process
