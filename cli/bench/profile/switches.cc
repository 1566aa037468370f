#include "cli/bench/profile/switches.h"

#include <charconv>

namespace toolway::cli::bench::profile {
namespace {

std::optional<std::uint64_t> value_of(std::string_view status, std::string_view name) {
  const auto at = status.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  const auto digits = status.find_first_not_of(" \t", at + name.size());
  std::uint64_t value = 0;
  if (digits == std::string_view::npos ||
      std::from_chars(status.data() + digits, status.data() + status.size(), value).ec !=
          std::errc())
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<Switches> parse_switches(std::string_view status) {
  // With the line's beginning: the one name ends like the other.
  const auto voluntary = value_of(status, "\nvoluntary_ctxt_switches:");
  const auto involuntary = value_of(status, "\nnonvoluntary_ctxt_switches:");
  if (!voluntary || !involuntary) return std::nullopt;
  return Switches{*voluntary, *involuntary};
}

void SwitchCount::see(int thread, const Switches& now) {
  const auto [found, is_new] = last_.try_emplace(thread, now);
  auto& last = found->second;
  Switches before = last;
  if (is_new) before = all_seen_ ? Switches{} : now;
  // The kernel gives the id of a thread that has ended to another one.
  if (now.voluntary < last.voluntary || now.involuntary < last.involuntary) before = {};
  total_.voluntary += now.voluntary - before.voluntary;
  total_.involuntary += now.involuntary - before.involuntary;
  last = now;
}

}  // namespace toolway::cli::bench::profile
