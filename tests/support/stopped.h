#pragma once

#include <sys/wait.h>

#include <csignal>

namespace toolway::test {

/// A child of ours that is stopped while this lives: it reads nothing, and its kernel answers.
class Stopped {
 public:
  explicit Stopped(int pid) : pid_(pid) {
    kill(pid_, SIGSTOP);
    siginfo_t stopped{};
    waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED);  // all its threads are
  }
  ~Stopped() { kill(pid_, SIGCONT); }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;

 private:
  const int pid_;
};

}  // namespace toolway::test
