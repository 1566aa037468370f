#include "cli/bench/load/load_run.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/try.h"

namespace toolway::cli::bench::load {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStandstillLimit = 30 * kSecond;
constexpr unsigned kGroupShift = 40;
constexpr std::uint64_t kTimer = ~0ULL;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now().time_since_epoch())
      .count();
}

}  // namespace

LoadRun::LoadRun(const scenario::Scenario& scenario, const LoadTarget& target, LoadHooks hooks)
    : scenario_(scenario),
      target_(target),
      hooks_(std::move(hooks)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kTimer;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, timer_, &event);
  for (const auto& group : scenario.groups) {
    const auto tag = static_cast<std::uint64_t>(groups_.size()) << kGroupShift;
    groups_.push_back(
        std::make_unique<GroupRun>(group, target, GroupRun::Epoll{epoll_, tag}, hooks_.kind_call));
  }
}

LoadRun::~LoadRun() {
  groups_.clear();
  close(timer_);
  close(epoll_);
}

Result<void> LoadRun::prepare(process::StopSignals& signals) {
  for (auto& group : groups_) {
    hooks_.progress(
        fmt::format("opening {} sessions of {}", group->group().sessions, group->group().user));
    RETURN_IF_ERROR(group->open_sessions());
  }
  hooks_.opened();
  for (auto& group : groups_) RETURN_IF_ERROR(group->follow());
  const auto all_follow = [this] {
    return std::all_of(groups_.begin(), groups_.end(),
                       [](const auto& group) { return group->following(); });
  };
  for (const auto deadline = now_ns() + kStandstillLimit; !all_follow();) {
    if (now_ns() > deadline)
      return fail(ErrorCode::kTimeout, "not every event stream was opened within 30 s");
    if (signals.wait(std::chrono::milliseconds(0)))
      return fail(ErrorCode::kShuttingDown, "interrupted");
    turn(100);
  }
  hooks_.followed();
  for (auto& group : groups_) RETURN_IF_ERROR(group->connect());
  return {};
}

Result<void> LoadRun::run(process::StopSignals& signals) {
  RETURN_IF_ERROR(prepare(signals));
  const auto begun = now_ns();
  zero_ = begun + static_cast<std::int64_t>(target_.warm_up * 1e9);
  for (auto& group : groups_) group->begin(begun, zero_);
  hooks_.begun(Steady::time_point(std::chrono::nanoseconds(zero_)));
  const auto latest = zero_ + static_cast<std::int64_t>(scenario_.seconds() * 1e9) + 300 * kSecond;
  std::vector<double> drops;
  for (const auto& action : scenario_.actions)
    if (action.what == scenario::Action::What::kDropFollowers) drops.push_back(action.at);
  std::size_t dropped = 0;
  std::uint64_t seen = 0;
  for (auto changed = begun;;) {
    arm_timer();
    turn(200);
    const auto now = now_ns();
    if (now < latest && hooks_.keep_on())
      for (auto& group : groups_) group->last_until(now + kSecond);
    for (auto& group : groups_) group->on_time(now);
    for (const auto& group : groups_) zero_ = std::max(zero_, group->zero());
    for (; dropped < drops.size() && static_cast<double>(now - zero_) / 1e9 >= drops[dropped];
         ++dropped)
      for (auto& group : groups_) group->drop_followers();
    const bool done = std::all_of(groups_.begin(), groups_.end(),
                                  [](const auto& group) { return group->done(); });
    std::uint64_t seen_now = 0;
    for (const auto& group : groups_) seen_now += group->seen();
    if (std::exchange(seen, seen_now) != seen_now) changed = now;
    // Nothing in progress: a pause in the load is not silence of the other side.
    if (std::all_of(groups_.begin(), groups_.end(),
                    [](const auto& group) { return group->idle(); }))
      changed = now;
    if (done || now - changed > kStandstillLimit) {
      seconds_ = std::max(0.0, static_cast<double>((done ? now : changed) - zero_) / 1e9);
      break;
    }
    if (now - said_at_ < kSecond) continue;
    if (signals.wait(std::chrono::milliseconds(0)))
      return fail(ErrorCode::kShuttingDown, "interrupted");
    say_progress();
    said_at_ = now;
  }
  for (auto& group : groups_) group->give_up();
  return {};
}

void LoadRun::arm_timer() {
  const auto now = now_ns();
  std::int64_t wake = now + kSecond;
  for (const auto& group : groups_) wake = std::min(wake, group->next_wake());
  // Too early does no harm, and a call into the kernel for each turn would cost.
  if (now < armed_ && armed_ <= wake) return;
  armed_ = wake;
  itimerspec spec{};
  wake = std::max<std::int64_t>(wake, 1);
  spec.it_value.tv_sec = wake / kSecond;
  spec.it_value.tv_nsec = wake % kSecond;
  timerfd_settime(timer_, TFD_TIMER_ABSTIME, &spec, nullptr);
}

void LoadRun::turn(int timeout_ms) {
  std::array<epoll_event, 256> events;
  const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
  for (int i = 0; i < count; ++i) {
    const auto tag = events[static_cast<std::size_t>(i)].data.u64;
    if (tag == kTimer) {
      std::uint64_t expirations = 0;
      if (read(timer_, &expirations, sizeof expirations) < 0) continue;
    } else {
      groups_[tag >> kGroupShift]->on_ready(tag & ((1ULL << kGroupShift) - 1), now_ns());
    }
  }
}

void LoadRun::say_progress() {
  std::uint64_t seen = 0;
  std::uint64_t errors = 0;
  std::int64_t open = 0;
  for (const auto& group : groups_) {
    seen += group->seen();
    errors += group->errors();
    open += group->open_calls();
  }
  const auto at = static_cast<double>(now_ns() - zero_) / 1e9;
  // When the warm-up's calls are waited for, and how long all takes, is not known before.
  const auto where = target_.settle ? fmt::format("{:<9}", at < 0 ? "warm-up" : "measuring")
                                    : fmt::format("{:>7.0f} s of {:.0f} ", at, scenario_.seconds());
  hooks_.progress(fmt::format("{} {:>8} calls/s   {:>9} completed   {:>6} open   {} errors", where,
                              seen - seen_before_, seen, open, errors));
  seen_before_ = seen;
}

}  // namespace toolway::cli::bench::load
