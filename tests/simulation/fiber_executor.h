#pragma once

#include <functional>
#include <list>
#include <memory>
#include <stop_token>

#include "tests/simulation/fiber.h"
#include "tests/simulation/process.h"
#include "workers/threads/job_executor.h"

namespace toolway::simulation {

/// Runs a worker's tools on fibers: they take virtual time, end in any order, and go down with
/// their process.
class FiberExecutor final : public workers::threads::JobExecutor {
 public:
  FiberExecutor(const Surroundings& around, std::shared_ptr<Process> process)
      : around_(around), process_(std::move(process)) {}

  void submit(std::shared_ptr<workers::threads::Job> job) override;
  void abandon() override {}
  void abandoned_returned() override {}
  /// The process dies: what runs ends where it waits.
  void stop(std::chrono::milliseconds patience) override;
  /// In virtual time: `changed` wakes threads alone.
  void wait(MutexLock& lock, StoppableCondVar& changed, const std::stop_token& stop,
            const std::function<bool()>& done) override;
  std::size_t threads() const override { return running_.size(); }

  /// Runs something besides tools, on a fiber that goes down with the process, too.
  void run(std::function<void()> body);

  /// For the tool that runs now: lets time pass, or waits for a stop if that comes first.
  static void sleep(Micros time, const std::stop_token& stop);
  /// The process of the tool that runs now.
  static Process& process();

 private:
  struct Running {
    FiberExecutor* executor = nullptr;
    std::unique_ptr<Fiber> fiber;
    std::uint64_t sleep = 0;  ///< counts them: a wake-up is for one
    bool killed = false;
  };
  struct Killed {};

  void begin(std::function<void()> body);
  void go_on(const std::shared_ptr<Running>& running);
  static void wake(const std::shared_ptr<Running>& running, std::uint64_t sleep, Micros delay);

  static std::shared_ptr<Running> current_;

  const Surroundings around_;
  const std::shared_ptr<Process> process_;
  std::list<std::shared_ptr<Running>> running_;
  bool stopped_ = false;
};

}  // namespace toolway::simulation
