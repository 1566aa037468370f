#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "cli/bench/figures/resources.h"
#include "cli/bench/scenario/scenario.h"
#include "cli/stack/stack.h"

namespace toolway::cli::bench::run {

/// What was done to a stack during a run, and what it held.
struct OperatorLog {
  struct Done {
    double at = 0;  ///< seconds from the end of the warm-up
    std::string what;
  };
  struct Scaled {
    double at = 0;
    unsigned workers = 0;
    bool up = false;
  };
  std::vector<Done> done;
  std::vector<Scaled> scaled;
  std::vector<double> killed;  ///< when workers were, as Done::at
  std::vector<figures::ResourceSample> samples;
  std::string error;  ///< empty: every action went well
};

/// Looks after an own stack while it is under load, does the scenario's actions to it, and samples
/// what it holds, on a thread of its own. No other thread uses the stack from construction to
/// `stop`.
class StackOperator {
 public:
  using Steady = std::chrono::steady_clock;

  StackOperator(stack::Stack& stack, const scenario::Scenario& scenario);
  ~StackOperator();
  StackOperator(const StackOperator&) = delete;
  StackOperator& operator=(const StackOperator&) = delete;

  /// Times count from `zero`. Thread-safe.
  void begin(Steady::time_point zero);
  /// Whether actions are still due, or in progress. Thread-safe.
  bool busy() const { return busy_; }
  /// Ends it; what was done and seen. Once.
  OperatorLog stop();

 private:
  struct Target {
    std::string role;
    unsigned index = 0;
  };
  void tend(const std::stop_token& stop);
  void act(double at);
  void begin_action(const scenario::Action& action, double at);
  void go_on(double at);
  void sample(double at);
  unsigned count(const std::string& role) const;

  stack::Stack& stack_;
  std::deque<scenario::Action> actions_;
  std::deque<Target> targets_;  ///< still to be restarted
  bool settling_ = false;       ///< a process is away on purpose
  double settled_at_ = -1;
  double settling_since_ = 0;
  const double sample_every_;
  double sampled_at_ = -1;
  OperatorLog log_;
  Mutex mutex_;
  Steady::time_point zero_ GUARDED_BY(mutex_) = Steady::time_point::max();
  std::atomic<bool> busy_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace toolway::cli::bench::run
