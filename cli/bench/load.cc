#include "cli/bench/load.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <deque>
#include <utility>

#include "cli/bench/followers.h"
#include "cli/bench/sockets.h"
#include "cli/bench/wire.h"
#include "cli/client/http_client.h"

namespace toolway::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The request of a session, headers and body: the same bytes every time.
std::string request_bytes(const BenchOptions& options, const HostPort& where,
                          const std::string& session) {
  const std::string payload(options.payload, 'x');
  OrderedJson call = options.call;
  if (call.is_null()) {
    call = {{"tool", "bench.echo"}, {"arguments", {{"payload", payload}}}};
    if (options.progress > 0)
      call["tool"] = "bench.stream", call["arguments"]["chunks"] = options.progress;
  }
  if (options.batch > 1) call = {{"calls", OrderedJson::array_t(options.batch, call)}};
  const auto text = to_text(call);
  return fmt::format(
      "POST /v1/sessions/{}/calls{} HTTP/1.1\r\nHost: {}\r\nX-Toolway-User: {}\r\n"
      "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
      url_escape(session), options.batch > 1 ? ":batch" : "", where.text(), options.user,
      text.size(), text);
}

/// One connection that carries requests, and the calls of the last one in a closed loop.
struct Lane {
  int fd = -1;
  std::string in;
  std::int64_t sent = 0;
  unsigned outstanding = 0;  ///< accepted calls of this request not seen completed
  bool waiting = false;      ///< for the answer
  bool measured = false;
};

class Load {
 public:
  Load(const BenchOptions& options, const HostPort& where, Ledger& ledger, StopSignals& signals,
       const std::function<void(const std::string&)>& progress)
      : options_(options),
        where_(where),
        ledger_(ledger),
        signals_(signals),
        progress_(progress),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        followers_({where}, options.user, epoll_, kFollowerBit) {}

  ~Load() {
    for (auto& lane : lanes_)
      if (lane.fd >= 0) close(lane.fd);
    if (timer_ >= 0) close(timer_);
    close(epoll_);
  }

  Result<LoadResult> run(const std::vector<std::string>& sessions,
                         const std::function<void()>& followed) {
    timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    watch(timer_, kTimer);
    for (const auto& session : sessions)
      requests_.push_back(request_bytes(options_, where_, session));
    if (auto open = follow(sessions); !open) return fail(open.error());
    followed();
    const bool open_loop = options_.rate > 0;
    concurrency_ = options_.concurrency != 0 ? options_.concurrency
                                             : (open_loop ? 256 : (options_.batch > 1 ? 40 : 192));
    for (unsigned i = 0; i < concurrency_; ++i) lanes_.emplace_back();
    for (auto& lane : lanes_)
      if (auto connected = connect_lane(lane); !connected) return fail(connected.error());

    if (options_.warm_up > 0) {
      phase(false, 0, options_.warm_up);
      if (finish(15 * kSecond); result_.interrupted) return result_;
    }
    for (auto& lane : lanes_) lane.outstanding = 0;
    for (auto& entry : ledger_.entries()) entry.lane = -1;
    open_calls_ = 0;
    result_ = {};  // the warm-up does not count
    const double seconds =
        options_.seconds > 0 ? options_.seconds : (options_.calls > 0 ? 1e9 : 10);
    result_.began = now_ns();
    phase(true, options_.calls, seconds);
    finish(30 * kSecond);
    result_.ended = std::max(last_completion_, result_.began);
    result_.reconnects = followers_.reconnects();
    return result_;
  }

 private:
  static constexpr std::uint64_t kTimer = ~0ULL;
  static constexpr std::uint64_t kFollowerBit = 1ULL << 32;

  void watch(int fd, std::uint64_t tag) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = tag;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }

  Result<void> connect_lane(Lane& lane) {
    auto fd = dial(where_);
    if (!fd) return fail(fd.error());
    lane.fd = *fd;
    lane.in.clear();
    watch(lane.fd, static_cast<std::uint64_t>(&lane - lanes_.data()));
    free_.push_back(&lane);
    return {};
  }

  Result<void> follow(const std::vector<std::string>& sessions) {
    if (auto connected = followers_.connect(sessions); !connected) return connected;
    const auto deadline = now_ns() + 30 * kSecond;
    for (;;) {
      const auto open = followers_.open();
      if (open == followers_.count()) return {};
      if (now_ns() > deadline)
        return fail(ErrorCode::kTimeout,
                    fmt::format("only {} of {} event streams opened", open, followers_.count()));
      turn(100);
      if (result_.interrupted) return fail(ErrorCode::kShuttingDown, "interrupted");
    }
  }

  /// Sends until `calls` (0: any number) were sent or `seconds` have passed.
  void phase(bool measured, std::uint64_t calls, double seconds) {
    measured_ = measured;
    limit_ = calls;
    sent_ = 0;
    const auto begin = now_ns();
    stop_at_ = begin + static_cast<std::int64_t>(std::min(seconds, 1e8) * 1e9);
    sending_ = true;
    if (options_.rate > 0) {
      interval_ = static_cast<std::int64_t>(1e9 * options_.batch / options_.rate);
      next_ = begin;
      arm_timer();
    } else {
      while (sending_ && !free_.empty()) send_on(take_free(), now_ns());
    }
    while (sending_ && !result_.interrupted) {
      turn(200);
      if (now_ns() >= stop_at_) sending_ = false;
    }
    sending_ = false;
  }

  void finish(std::int64_t patience) {
    last_progress_ = now_ns();
    // What was due and could not be sent yet is still sent: leaving it out would flatter us.
    while ((open_calls_ > 0 || !backlog_.empty() || free_.size() < lanes_.size()) &&
           !result_.interrupted) {
      turn(200);
      if (now_ns() - last_progress_ < patience) continue;
      note_error(fmt::format("{} calls were not seen completed", open_calls_),
                 static_cast<std::uint64_t>(std::max<std::int64_t>(open_calls_, 1)));
      return;
    }
  }

  Lane& take_free() {
    Lane* lane = free_.back();
    free_.pop_back();
    return *lane;
  }

  void send_on(Lane& lane, std::int64_t intended) {
    const auto& bytes = requests_[(round_++) % requests_.size()];
    lane.sent = intended;
    lane.waiting = true;
    lane.measured = measured_;
    lane.outstanding = 0;
    sent_ += options_.batch;
    if (measured_) result_.sent += options_.batch;
    if (limit_ != 0 && sent_ >= limit_) sending_ = false;
    if (!write_all(lane.fd, bytes)) lost_lane(lane, "a connection broke while sending");
  }

  void lost_lane(Lane& lane, const std::string& why) {
    if (lane.waiting) note_error(why, options_.batch);
    lane.waiting = false;
    close(lane.fd);
    lane.fd = -1;
    std::erase(free_, &lane);
    if (auto again = connect_lane(lane); !again) note_error(again.error().message, 0);
  }

  void note_error(const std::string& text, std::uint64_t count) {
    result_.errors += count;
    if (result_.first_error.empty()) result_.first_error = text;
  }

  void arm_timer() const {
    itimerspec spec{};
    const auto at = std::max<std::int64_t>(next_, 1);
    spec.it_value.tv_sec = at / kSecond;
    spec.it_value.tv_nsec = at % kSecond;
    timerfd_settime(timer_, TFD_TIMER_ABSTIME, &spec, nullptr);
  }

  /// Open loop: everything that is due goes out, or waits in `backlog_` with its own time.
  void on_timer() {
    std::uint64_t expirations = 0;
    if (read(timer_, &expirations, sizeof expirations) < 0 || !sending_) return;
    const auto now = now_ns();
    while (next_ <= now && sending_ && next_ < stop_at_) {
      if (free_.empty()) {
        backlog_.push_back(next_);
        if (limit_ != 0 && sent_ + backlog_.size() * options_.batch >= limit_) sending_ = false;
      } else {
        send_on(take_free(), next_);
      }
      next_ += interval_;
    }
    arm_timer();
  }

  void lane_done(Lane& lane) {
    if (sending_ && options_.rate <= 0 && now_ns() < stop_at_) {
      send_on(lane, now_ns());
    } else if (!backlog_.empty()) {
      const auto intended = backlog_.front();
      backlog_.pop_front();
      send_on(lane, intended);
    } else {
      free_.push_back(&lane);
    }
  }

  void on_lane(Lane& lane) {
    if (!receive(lane.fd, lane.in)) {
      lost_lane(lane, "the gateway closed a connection");
      return;
    }
    const auto answer = parse_answer(lane.in);
    if (answer.size == 0 || !lane.waiting) return;
    const auto now = now_ns();
    lane.waiting = false;
    unsigned accepted = 0;
    if (answer.status == 202 || answer.status == 200) {
      std::size_t at = 0;
      while (accepted < options_.batch) {
        const auto id = next_text_field(answer.body, "\"call_id\"", at);
        if (id.empty()) break;
        auto* entry = ledger_.of(id);
        if (entry == nullptr) break;
        ++accepted;
        entry->sent = lane.sent;
        entry->accepted = now;
        entry->measured = lane.measured;
        if (entry->completed != 0) {
          count_completion(*entry);
        } else {
          entry->lane = static_cast<std::int32_t>(&lane - lanes_.data());
          ++lane.outstanding;
          ++open_calls_;
        }
      }
    }
    if (accepted < options_.batch)
      note_error(fmt::format("HTTP {}: {}", answer.status, answer.body.substr(0, 300)),
                 options_.batch - accepted);
    lane.in.erase(0, answer.size);
    last_progress_ = now;
    if (options_.rate > 0 || lane.outstanding == 0) lane_done(lane);
  }

  void count_completion(const Ledger::Entry& entry) {
    if (!entry.measured) return;
    ++seen_;
    last_completion_ = std::max(last_completion_, entry.completed);
    if (!entry.succeeded) note_error("a call did not succeed", 1);
  }

  /// A call starts once and completes once, and its reports come in the order of their numbers.
  static bool repeated(Ledger::Entry& entry, const WireEvents::Event& event) {
    if (event.type == "completed") return entry.completed != 0;
    if (event.type == "started") return std::exchange(entry.started, true);
    const auto seq = next_number_field(event.data, "\"seq\"");
    if (seq <= entry.last_seq) return true;
    entry.last_seq = seq;
    return false;
  }

  void on_event(const WireEvents::Event& event, std::int64_t now) {
    std::size_t at = 0;
    auto* entry = ledger_.of(next_text_field(event.data, "\"call_id\"", at));
    if (entry == nullptr) return;
    if (entry->first == 0) entry->first = now;
    ++result_.events;
    if (repeated(*entry, event)) {
      note_error(fmt::format("seen a second time: {}", event.data.substr(0, 200)), 1);
      return;
    }
    if (event.type != "completed") return;
    entry->completed = now;
    entry->succeeded = next_text_field(event.data, "\"outcome\"", at) == "succeeded";
    last_progress_ = now;
    if (entry->lane < 0) return;  // its request has no answer yet, or never will
    --open_calls_;
    count_completion(*entry);
    auto& lane = lanes_[static_cast<std::size_t>(entry->lane)];
    if (options_.rate <= 0 && lane.outstanding > 0 && --lane.outstanding == 0 && !lane.waiting)
      lane_done(lane);
  }

  void on_follower(std::size_t index) {
    auto read = followers_.read(
        index, [this](const WireEvents::Event& event) { on_event(event, now_ns()); });
    if (read) return;
    note_error(read.error().message, 1);
    result_.interrupted = true;
  }

  void turn(int timeout_ms) {
    std::array<epoll_event, 256> events;
    const int count =
        epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
    for (int i = 0; i < count; ++i) {
      const auto tag = events[static_cast<std::size_t>(i)].data.u64;
      if (tag == kTimer)
        on_timer();
      else if ((tag & kFollowerBit) != 0)
        on_follower(tag & 0xffffffffULL);
      else
        on_lane(lanes_[tag]);
    }
    const auto now = now_ns();
    if (now - last_line_ < kSecond) return;
    followers_.heal();
    if (signals_.wait(std::chrono::milliseconds(0))) result_.interrupted = true;
    if (last_line_ != 0 && !requests_.empty())
      progress_(fmt::format("{:<9} {:>8} calls/s   {:>9} completed   {:>6} open   {} errors",
                            measured_ ? "measuring" : "warm-up", seen_ - seen_before_, seen_,
                            open_calls_, result_.errors));
    seen_before_ = seen_;
    last_line_ = now;
  }

  const BenchOptions& options_;
  const HostPort& where_;
  Ledger& ledger_;
  StopSignals& signals_;
  const std::function<void(const std::string&)>& progress_;
  LoadResult result_;
  const int epoll_;
  Followers followers_;
  int timer_ = -1;
  unsigned concurrency_ = 0;
  std::vector<std::string> requests_;
  std::deque<std::int64_t> backlog_;
  std::vector<Lane> lanes_;
  std::vector<Lane*> free_;
  std::uint64_t round_ = 0;
  std::uint64_t limit_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t seen_before_ = 0;
  std::int64_t open_calls_ = 0;
  std::int64_t interval_ = 0;
  std::int64_t next_ = 0;
  std::int64_t stop_at_ = 0;
  std::int64_t last_progress_ = 0;
  std::int64_t last_completion_ = 0;
  std::int64_t last_line_ = 0;
  bool sending_ = false;
  bool measured_ = false;
};

}  // namespace

Result<LoadResult> run_load(const BenchOptions& options, const HostPort& where,
                            const std::vector<std::string>& sessions, Ledger& ledger,
                            StopSignals& signals,
                            const std::function<void(const std::string&)>& progress,
                            const std::function<void()>& followed) {
  Load load(options, where, ledger, signals, progress);
  return load.run(sessions, followed);
}

}  // namespace toolway::cli
