#include "cli/bench/chat/turn_load.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "base/ids.h"
#include "base/mutex.h"
#include "base/try.h"
#include "cli/bench/connections/exchange.h"
#include "cli/bench/figures/load_record.h"

namespace toolway::cli::bench::chat {
namespace {

/// Of each connection: so no history grows long, and no turn waits for another.
constexpr unsigned kSessionsEach = 8;
constexpr unsigned kIterations = 2;

class TurnLoad {
 public:
  TurnLoad(const ChatTarget& target, const TurnPace& pace)
      : target_(target), pace_(pace), of_("turn-" + random_hex(3)) {}

  Result<TurnTimes> run() {
    RETURN_IF_ERROR(open_sessions(target_, of_, std::size_t{pace_.at_once} * kSessionsEach));
    begun_ = Steady::now();
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < pace_.at_once; ++i)
        threads.emplace_back([this, i] {
          auto done = turns_of(i);
          if (done) return;
          const MutexLock lock(mutex_);
          went_ = std::move(done);
        });
    }
    const std::chrono::duration<double> took = Steady::now() - begun_;
    const MutexLock lock(mutex_);
    RETURN_IF_ERROR(went_);
    TurnTimes times{.turns = turns_, .failed = failed_, .turns_per_s = turns_ / took.count()};
    times.overhead_p50_ms = figures::percentile(overheads_ms_, 0.5);
    times.overhead_p99_ms = figures::percentile(overheads_ms_, 0.99);
    return times;
  }

 private:
  /// When the turn with this number is due; nothing: the load ends before it.
  std::optional<Steady::time_point> due(std::size_t number) const {
    const auto ends = begun_ + std::chrono::duration<double>(pace_.seconds);
    if (pace_.per_s == 0) return Steady::now() < ends ? std::optional(Steady::now()) : std::nullopt;
    const auto at =
        begun_ + std::chrono::duration_cast<Steady::duration>(
                     std::chrono::duration<double>(static_cast<double>(number) / pace_.per_s));
    return at < ends ? std::optional(at) : std::nullopt;
  }

  Result<void> turns_of(unsigned connection) {
    ASSIGN_OR_RETURN(auto exchange, connections::Exchange::create(target_.where));
    for (unsigned mine = 0;; ++mine) {
      const auto number = next_++;
      const auto at = due(number);
      if (!at) return {};
      std::this_thread::sleep_until(*at);
      const auto content = fmt::format("{} {}", of_, number);
      const auto session =
          session_name(target_, of_, connection * kSessionsEach + mine % kSessionsEach);
      ASSIGN_OR_RETURN(const auto answer, exchange.ask(message_request(target_, session, content,
                                                                       "Prefer: wait=30\r\n")));
      const std::chrono::duration<double, std::milli> took = Steady::now() - *at;
      note(answer, took.count(), target_.model.take(content));
    }
  }

  void note(const connections::WireAnswer& answer, double took_ms, const Served& served) {
    const bool replied = answer.status == 200 &&
                         answer.body.find("\"finish\":\"replied\"") != std::string_view::npos &&
                         served.requests == kIterations;
    const MutexLock lock(mutex_);
    ++turns_;
    if (!replied) ++failed_;
    overheads_ms_.push_back(static_cast<float>((took_ms - served.busy_ms) / kIterations));
  }

  const ChatTarget& target_;
  const TurnPace pace_;
  const std::string of_;
  Steady::time_point begun_;
  std::atomic<std::size_t> next_{0};
  Mutex mutex_;
  Result<void> went_ GUARDED_BY(mutex_);
  unsigned turns_ GUARDED_BY(mutex_) = 0;
  unsigned failed_ GUARDED_BY(mutex_) = 0;
  std::vector<float> overheads_ms_ GUARDED_BY(mutex_);
};

}  // namespace

Result<TurnTimes> measure_turns(const ChatTarget& target, const TurnPace& pace) {
  return TurnLoad(target, pace).run();
}

}  // namespace toolway::cli::bench::chat
