#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "cli/bench/connections/followers.h"
#include "cli/bench/figures/load_record.h"
#include "cli/bench/load/attempt_times.h"
#include "cli/bench/load/call_book.h"
#include "cli/bench/load/call_texts.h"
#include "cli/bench/load/schedule.h"
#include "cli/process/host_port.h"

namespace toolway::cli::bench::load {

/// What the groups of a run share.
struct LoadTarget {
  std::vector<process::HostPort> gateways;
  std::string run;  ///< what every session's name begins with; its group's name follows
  double warm_up = 0;
  bool settle = false;       ///< the warm-up's calls are completed before the first stage begins
  bool keep_starts = false;  ///< which worker started what, and when
  bool keep_ids = false;     ///< of the calls that were completed, without the warm-up's
};

/// The load of one group, inside the caller's loop: sends what is due over connections of its own,
/// repeats what a gateway did not take, and sees every call completed on its session's event
/// stream. One thread; times in ns of the steady clock.
class GroupRun {
 public:
  struct Epoll {
    int fd = -1;
    std::uint64_t tag = 0;  ///< what its connections' tags begin with; the low 40 bits are its own
  };
  /// The answer's call of a kind's tool, see CallTexts.
  using KindCall = std::function<OrderedJson(const std::string&)>;

  GroupRun(const scenario::LoadGroup& group, const LoadTarget& target, Epoll epoll,
           const KindCall& kind_call);
  ~GroupRun();
  GroupRun(const GroupRun&) = delete;
  GroupRun& operator=(const GroupRun&) = delete;

  /// Opens all sessions; blocks. Errors: as ask_all's.
  Result<void> open_sessions();
  /// Opens the event streams. Errors: kBusUnavailable.
  Result<void> follow() { return followers_.connect(followed_); }
  bool following() const { return followers_.open() == followers_.count(); }
  /// Opens the connections that requests go out on. Errors: kBusUnavailable.
  Result<void> connect();

  /// `zero`: the end of the warm-up, which begins now.
  void begin(std::int64_t now, std::int64_t zero);
  /// The end of the warm-up; later than `begin` was told when its calls had to be completed first.
  std::int64_t zero() const { return zero_; }
  /// Continues at its last pace until `at`.
  void last_until(std::int64_t at);
  /// When `on_time` has something to do next.
  std::int64_t next_wake() const;
  void on_time(std::int64_t now);
  void on_ready(std::uint64_t tag, std::int64_t now);
  /// Breaks every event stream; they resume at once.
  void drop_followers() { followers_.drop(); }

  /// Everything was sent, answered and seen completed.
  bool done() const { return sent_all_ && idle(); }
  bool idle() const { return busy_ == 0 && waiting_.empty() && open_calls_ == 0; }
  std::int64_t open_calls() const { return open_calls_; }
  /// Counts what is still open as lost.
  void give_up();

  const scenario::LoadGroup& group() const { return group_; }
  const connections::Caller& caller() const { return caller_; }
  const figures::LoadRecord& record() const { return record_; }
  figures::LoadRecord& record() { return record_; }
  std::uint64_t seen() const { return seen_; }
  std::uint64_t errors() const { return errors_; }
  /// Events seen after the warm-up.
  std::uint64_t events() const { return events_; }
  std::uint64_t broken_streams() const { return followers_.reconnects(); }
  const AttemptTimes& attempts() const { return attempts_; }
  /// Of the calls that were completed, if the target keeps them.
  const std::vector<CallKey>& ids() const { return ids_; }
  /// Answers that never came: their calls may have been made.
  std::uint64_t unknown() const { return unknown_; }
  /// Accepted calls of each followed session.
  const std::vector<std::uint64_t>& accepted() const { return accepted_; }
  const std::vector<std::string>& followed() const { return followed_; }

 private:
  struct Request {
    std::int64_t due = 0;
    std::int64_t give_up_at = 0;
    std::size_t session = 0;
    std::size_t choice = 0;
    std::uint64_t number = 0;
    unsigned attempts = 0;
  };
  struct Lane {
    std::size_t index = 0;
    int fd = -1;
    std::size_t gateway = 0;
    std::string in;
    Request request;
    bool waiting = false;       ///< for the answer
    std::int64_t retry_at = 0;  ///< ns; 0: nothing to repeat
    unsigned outstanding = 0;   ///< accepted calls of this request not seen completed
  };
  static constexpr std::uint64_t kFollowerBit = 1ULL << 39;
  static constexpr std::int64_t kRepeatTimeout =
      30'000'000'000;  // ns, for a request that is repeated

  bool settling(std::int64_t now);
  void start_due(std::int64_t now);
  void start_at_once(std::int64_t now);
  void start(std::int64_t due, std::int64_t now);
  void assign(std::int64_t due, std::int64_t now);
  void send(Lane& lane, std::int64_t now);
  const std::string& request_bytes(const Lane& lane);
  bool dial_any(Lane& lane);
  void hang_up(Lane& lane);
  void not_taken(Lane& lane, std::int64_t now, bool sent, const std::string& why);
  void on_lane(Lane& lane, std::int64_t now);
  void on_answer(Lane& lane, int status, std::string_view body, std::int64_t now);
  unsigned take_ids(Lane& lane, std::string_view body, std::int64_t now);
  void lane_done(Lane& lane, std::int64_t now);
  void on_event(const connections::WireEvents::Event& event, std::int64_t now);
  void count(const CallBook::Call& call, const CallKey& key, std::int64_t now);
  double at(std::int64_t ns) const { return static_cast<double>(ns - zero_) / 1e9; }

  const scenario::LoadGroup& group_;
  const LoadTarget& target_;
  const Epoll epoll_;
  Schedule schedule_;
  CallTexts texts_;
  const connections::Caller caller_;
  connections::Followers followers_;
  std::vector<std::string> followed_;
  std::size_t requests_ = 0;                  ///< made so far
  std::vector<std::string> gateway_headers_;  ///< of a request, by gateway
  std::vector<std::uint64_t> accepted_;
  std::deque<Lane> lanes_;
  std::deque<Lane*> free_;  ///< the next one to use is in front
  std::vector<Lane*> repeating_;
  std::deque<std::int64_t> waiting_;  ///< when requests were due that no lane was free for
  CallBook book_;
  figures::LoadRecord record_;
  AttemptTimes attempts_;
  std::vector<CallKey> ids_;
  std::string request_;  ///< the bytes of the last one
  std::string answer_;   ///< what the last connection to be read had received
  std::int64_t began_ = 0;
  std::int64_t zero_ = 0;
  std::uint64_t number_ = 0;    ///< requests that were due
  std::uint64_t assigned_ = 0;  ///< those that a lane has got
  std::uint64_t counted_ = 0;   ///< calls due after the warm-up
  std::int64_t next_due_ = 0;
  std::size_t busy_ = 0;
  std::int64_t open_calls_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t errors_ = 0;
  std::uint64_t unknown_ = 0;
  std::int64_t healed_at_ = 0;
  bool settled_ = false;
  bool sent_all_ = false;
};

}  // namespace toolway::cli::bench::load
