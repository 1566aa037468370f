#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/chaos/bus_faults.h"
#include "tests/chaos/fleet.h"
#include "tests/chaos/history.h"
#include "tests/chaos/randomness.h"

namespace toolway::chaos {

/// What was done, for the report and for the recovery times.
struct Deeds {
  std::map<std::string, std::uint64_t> counts;
  std::vector<std::int64_t> worker_kills_us;  ///< when a worker was killed with -9, sorted
  std::vector<std::int64_t> chat_kills_us;    ///< likewise a chat process
  std::uint64_t kills() const;
  /// Processes and servers that were stopped for a while (SIGSTOP).
  std::uint64_t freezes() const;
};

/// Does harm, one thing after the other, by a schedule that its seed determines (what it meets
/// there depends on the clock). For the thread that tends the fleet.
class Nemesis {
 public:
  Nemesis(const Options& options, Fleet& fleet, BusFaults& bus, History& history);
  /// Does what is due, and undoes what has lasted long enough.
  void act(std::chrono::steady_clock::time_point now);
  /// Undoes everything at once. Errors: what could not be undone.
  Result<void> end();
  const Deeds& deeds() const { return deeds_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Fault {
    const char* name;
    unsigned weight;
    std::function<bool()> inflict;  ///< whether it found a target
  };
  struct Undo {
    Time at;
    std::function<Result<void>()> mend;
  };

  std::vector<Fault> all_faults();
  std::vector<Fault> chat_faults();
  void did(const std::string& what, const std::string& whom);
  Member* somebody(const char* role);
  bool kill_process(const char* role);
  bool terminate_process(const char* role);
  bool pause_process(const char* role);
  bool roll();
  bool kill_nats();
  bool kill_postgres(int signal);
  bool break_link(const char* how);
  bool stale_acks();
  bool shrink_stream();
  bool delete_durable();
  bool skew();
  bool freeze_nats();
  bool freeze_postgres();
  bool fill_disk();
  double freeze_time();
  void later(double seconds, std::function<Result<void>()> mend);
  double seconds_between(std::uint64_t low_ms, std::uint64_t high_ms) {
    return static_cast<double>(random_.between(low_ms, high_ms)) / 1000;
  }

  const Options& options_;
  Fleet& fleet_;
  BusFaults& bus_;
  History& history_;
  Randomness random_;
  std::vector<Fault> faults_;
  std::vector<Undo> undo_;
  std::vector<std::string> rolling_;  ///< names of members that a rolling restart has still to take
  Time nats_whole_at_{};              ///< when the last node that was killed may have caught up
  bool shrunk_ = false;
  bool durable_gone_ = false;
  Time next_;
  Deeds deeds_;
};

}  // namespace toolway::chaos
