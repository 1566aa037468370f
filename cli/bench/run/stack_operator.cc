#include "cli/bench/run/stack_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "base/mutex.h"
#include "cli/bench/connections/metrics_page.h"
#include "monitoring/metric_names.h"

namespace toolway::cli::bench::run {
namespace {

constexpr double kPause = 0.5;          ///< between two restarts, seconds
constexpr double kRestartTimeout = 60;  ///< for a process to be back
constexpr double kMaxSamples = 600;

}  // namespace

StackOperator::StackOperator(stack::Stack& stack, const scenario::Scenario& scenario)
    : stack_(stack), sample_every_(std::max(0.5, scenario.seconds() / kMaxSamples)) {
  for (const auto& action : scenario.actions)
    if (action.what != scenario::Action::What::kDropFollowers) actions_.push_back(action);
  busy_ = !actions_.empty();
  thread_ = std::jthread([this](const std::stop_token& stop) { tend(stop); });
}

StackOperator::~StackOperator() = default;

void StackOperator::begin(Steady::time_point zero) {
  const MutexLock lock(mutex_);
  zero_ = zero;
}

OperatorLog StackOperator::stop() {
  thread_.request_stop();
  thread_.join();
  return std::move(log_);
}

void StackOperator::tend(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    stack_.supervise();
    Steady::time_point zero;
    {
      const MutexLock lock(mutex_);
      zero = zero_;
    }
    if (zero != Steady::time_point::max()) {
      const double at = std::chrono::duration<double>(Steady::now() - zero).count();
      act(at);
      if (at >= 0 && at - sampled_at_ >= sample_every_) sample(at);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void StackOperator::act(double at) {
  if (settling_) {
    if (stack_.whole()) {
      settling_ = false;
      settled_at_ = at;
    } else if (at - settling_since_ > kRestartTimeout) {
      log_.error = fmt::format("not every process was back {} s after an action", kRestartTimeout);
      actions_.clear();
      targets_.clear();
      settling_ = false;
    }
    return;
  }
  if (at - settled_at_ < kPause && settled_at_ >= 0) return;
  if (!targets_.empty()) return go_on(at);
  if (actions_.empty()) {
    busy_ = false;
  } else if (at >= actions_.front().at) {
    const auto action = actions_.front();
    actions_.pop_front();
    begin_action(action, at);
  }
}

void StackOperator::begin_action(const scenario::Action& action, double at) {
  if (action.what == scenario::Action::What::kScaleWorkers) {
    const auto before = count("worker");
    log_.done.push_back({at, fmt::format("workers from {} to {}", before, action.workers)});
    log_.scaled.push_back({at, action.workers, action.workers > before});
    if (auto scaled = stack_.scale_workers(action.workers); !scaled)
      log_.error = scaled.error().message;
    settling_ = true;
    settling_since_ = at;
    return;
  }
  if (action.what == scenario::Action::What::kKill) {
    const auto pids = stack_.description()["pids"][action.role];
    if (pids.empty()) return;
    log_.done.push_back({at, fmt::format("kill -9 of {}-0", action.role)});
    if (action.role == "worker") log_.killed.push_back(at);
    kill(pids[0].get<int>(), SIGKILL);
    settling_ = true;
    settling_since_ = at;
    return;
  }
  const auto roles = action.role == "all"
                         ? std::vector<std::string>{"gateway", "worker", "collector"}
                         : std::vector<std::string>{action.role};
  for (const auto& role : roles)
    for (unsigned i = 0; i < count(role); ++i) targets_.push_back({role, i});
}

void StackOperator::go_on(double at) {
  const auto target = targets_.front();
  targets_.pop_front();
  log_.done.push_back({at, fmt::format("restart of {}-{}", target.role, target.index)});
  stack_.restart(target.role, target.index);
  settling_ = true;
  settling_since_ = at;
}

unsigned StackOperator::count(const std::string& role) const {
  return static_cast<unsigned>(stack_.description()["pids"][role].size());
}

void StackOperator::sample(double at) {
  sampled_at_ = at;
  figures::ResourceSample sample{.at = at};
  const auto description = stack_.description();
  for (const char* role : {"gateway", "worker", "collector", "nats"})
    for (const auto& pid : description["pids"][role])
      if (const auto use = figures::resource_use(pid.get<int>())) sample.roles[role] += *use;
  for (const auto& url : description["metrics"]["collector"]) {
    const auto page = connections::metrics_page(url.get<std::string>());
    if (!page) continue;  // it is being restarted
    const auto note = [&](std::optional<double>& to, std::string_view metric) {
      if (const auto value = figures::largest_value(*page, metric))
        to = std::max(to.value_or(0), *value);
    };
    note(sample.lag_s, monitoring::kCollectorLagTime);
    note(sample.lag_messages, monitoring::kCollectorLag);
  }
  log_.samples.push_back(std::move(sample));
}

}  // namespace toolway::cli::bench::run
