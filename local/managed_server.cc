#include "local/managed_server.h"

#include <fmt/format.h>

#include <csignal>

#include "base/try.h"
#include "local/leftover.h"
#include "local/tcp.h"

namespace toolway::local {
namespace {

constexpr int kPorts = 5;
constexpr std::chrono::seconds kReaped{30};

}  // namespace

std::shared_ptr<ChildProcess> ManagedServer::child() const {
  const MutexLock lock(mutex_);
  return child_;
}

int ManagedServer::pid() const {
  const auto running = child();
  return running ? running->pid() : 0;
}

bool ManagedServer::alive() const {
  const auto running = child();
  return running && !running->poll();
}

void ManagedServer::stop(const std::vector<Step>& steps) const {
  const auto running = child();
  if (!running) return;
  for (const auto& step : steps) {
    running->signal(step.signal);
    if (running->wait(step.patience)) return;
  }
  running->signal(SIGKILL);
  running->wait(kReaped);
}

Result<void> ManagedServer::run(
    ChildProcessOptions options, std::chrono::milliseconds pause,
    const std::function<bool()>& ready,
    const std::function<bool(std::chrono::steady_clock::time_point)>& give_up) {
  options.log_file = log_;
  ASSIGN_OR_RETURN(auto started, ChildProcess::start(std::move(options)));
  const std::shared_ptr<ChildProcess> running = std::move(started);
  {
    const MutexLock lock(mutex_);
    child_ = running;
  }
  while (!ready()) {
    if (const auto status = running->wait(pause))
      return fail(ErrorCode::kTimeout, fmt::format("{} ended with status {}; its log {} ends:\n{}",
                                                   name_, *status, log_, tail(log_)));
    if (give_up(std::chrono::steady_clock::now()))
      return fail(ErrorCode::kTimeout,
                  fmt::format("{} does not answer; its log {} ends:\n{}", name_, log_, tail(log_)));
  }
  return {};
}

Result<void> ManagedServer::run_on_port(std::uint16_t& port, std::string_view taken,
                                        const std::function<Result<void>()>& run) const {
  if (port != 0) return run();
  for (int attempt = 1;; ++attempt) {
    ASSIGN_OR_RETURN(port, free_port());
    auto started = run();
    const bool again =
        !started && attempt < kPorts && !alive() && tail(log_).find(taken) != std::string::npos;
    if (!again) return started;
  }
}

}  // namespace toolway::local
