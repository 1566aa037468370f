#include "cli/bench/profile/machine_time.h"

#include <charconv>

namespace toolway::cli::bench::profile {

std::optional<MachineTime> parse_machine_time(std::string_view stat) {
  // user nice system idle iowait irq softirq steal; the guests' after them are in the first two.
  constexpr int kIdle = 3;
  constexpr int kWaiting = 4;
  constexpr int kFields = 8;
  if (!stat.starts_with("cpu ")) return std::nullopt;
  stat.remove_prefix(4);
  MachineTime time;
  for (int field = 0; field < kFields; ++field) {
    const auto begin = stat.find_first_not_of(' ');
    if (begin == std::string_view::npos) return std::nullopt;
    stat.remove_prefix(begin);
    double ticks = 0;
    const auto [end, error] = std::from_chars(stat.data(), stat.data() + stat.size(), ticks);
    if (error != std::errc()) return std::nullopt;
    stat.remove_prefix(static_cast<std::size_t>(end - stat.data()));
    time.total += ticks;
    if (field != kIdle && field != kWaiting) time.busy += ticks;
  }
  return time;
}

}  // namespace toolway::cli::bench::profile
