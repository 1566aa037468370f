#include "tools/executors/python/interpreter_keeper.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "tools/process/shortage.h"

namespace toolway::tools::executors::python {
namespace {

constexpr std::size_t kAtOnce = 4;                        // more only get in each other's way
constexpr std::chrono::seconds kStartPatience{20};        // for the first ones
constexpr std::chrono::seconds kReadyPatience{20};        // to start and import what it needs
constexpr std::chrono::milliseconds kLeavePatience{500};  // for what a tool's modules do at exit

}  // namespace

Result<std::shared_ptr<InterpreterPool>> InterpreterKeeper::start(PythonOptions options) {
  std::shared_ptr<InterpreterKeeper> keeper(new InterpreterKeeper(std::move(options)));
  if (!keeper->pool_.wake())
    return fail(ErrorCode::kOverloaded,
                "cannot start the interpreters: no file descriptors are left");
  auto started = process::when_threads_are_left("the interpreters", [&]() -> Result<void> {
    keeper->thread_ = std::jthread(
        [self = keeper.get()](const std::stop_token& stopping) { self->keep(stopping); });
    return {};
  });
  RETURN_IF_ERROR(started);
  RETURN_IF_ERROR(keeper->pool_.wait_until_warm(kStartPatience));
  return std::shared_ptr<InterpreterPool>(keeper, &keeper->pool_);
}

InterpreterKeeper::~InterpreterKeeper() {
  thread_.request_stop();
  pool_.wake().call();
}

void InterpreterKeeper::keep(const std::stop_token& stopping) {
  const auto host = make_host_file();
  if (!host) pool_.broken(host.error());
  for (;;) {
    if (host) start_missing(*host, stopping);
    bury();
    if (stopping.stop_requested()) break;
    const auto rest = pool_.rest(starting_.size() < kAtOnce);
    if (rest.count() == 0) continue;
    int patience = static_cast<int>(rest.count());
    std::vector<pollfd> files{{pool_.wake().get(), POLLIN, 0}};
    for (const auto& one : starting_) files.push_back({one.interpreter->socket(), POLLIN, 0});
    for (const auto& one : leaving_) files.push_back({one.interpreter->child().pidfd(), POLLIN, 0});
    if (!leaving_.empty()) patience = std::min(patience, 50);
    poll(files.data(), files.size(), patience);
    pool_.wake().clear();
    look_at_starting();
  }
  // Killed as they are destroyed.
  pool_.clear();
  leaving_.clear();
  starting_.clear();
}

void InterpreterKeeper::start_missing(const os::FileDescriptor& host,
                                      const std::stop_token& stopping) {
  while (!stopping.stop_requested() && starting_.size() < kAtOnce) {
    const auto generation = pool_.begin_start();
    if (!generation) return;
    auto interpreter = Interpreter::start(pool_.options(), host);
    if (!interpreter) return pool_.not_started(interpreter.error());
    (*interpreter)->generation = *generation;
    starting_.push_back({std::move(*interpreter), Steady::now() + kReadyPatience});
  }
}

void InterpreterKeeper::look_at_starting() {
  for (auto& one : starting_) {
    const auto ready = one.interpreter->ready();
    if (ready && !*ready && Steady::now() < one.until) continue;
    auto interpreter = std::move(one.interpreter);
    if (ready && *ready) {
      pool_.ready(std::move(interpreter));
    } else {
      pool_.not_started(ready
                            ? Error{ErrorCode::kTimeout, fmt::format("it was not ready after {} s",
                                                                     kReadyPatience.count())}
                            : ready.error());
    }
  }
  std::erase_if(starting_, [](const auto& one) { return one.interpreter == nullptr; });
}

void InterpreterKeeper::bury() {
  for (auto& interpreter : pool_.take_leaving()) {
    // At once: once it has ended by itself, what it started can no longer be found.
    if (interpreter->spent) continue;
    interpreter->hang_up();
    leaving_.push_back({std::move(interpreter), Steady::now() + kLeavePatience});
  }
  std::erase_if(leaving_, [](const Watched& one) {
    pollfd ended{one.interpreter->child().pidfd(), POLLIN, 0};
    return poll(&ended, 1, 0) > 0 || Steady::now() >= one.until;
  });
}

}  // namespace toolway::tools::executors::python
