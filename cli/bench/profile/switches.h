#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace toolway::cli::bench::profile {

/// Context switches: given up, as a thread waits; taken, as another thread was to run.
struct Switches {
  std::uint64_t voluntary = 0;
  std::uint64_t involuntary = 0;

  bool operator==(const Switches&) const = default;
};

/// Reads the text of /proc/PID/task/TID/status (proc(5)), which counts of one thread; nothing when
/// it does not. Pure.
std::optional<Switches> parse_switches(std::string_view status);

/// The switches of threads that come and go, since a first look at them. A thread that ends between
/// two looks keeps what it had at the first of them. Pure.
class SwitchCount {
 public:
  /// A look at a thread. What it had counts only when it is seen for the first time after
  /// `all_seen`.
  void see(int thread, const Switches& now);
  /// The first look has reached every thread.
  void all_seen() { all_seen_ = true; }
  Switches total() const { return total_; }

 private:
  std::map<int, Switches> last_;
  Switches total_;
  bool all_seen_ = false;
};

}  // namespace toolway::cli::bench::profile
