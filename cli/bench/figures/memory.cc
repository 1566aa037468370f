#include "cli/bench/figures/memory.h"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace toolway::cli::bench::figures {
namespace {

double share(std::int64_t from, std::int64_t to, std::size_t count) {
  return count == 0 ? 0 : static_cast<double>(to - from) / static_cast<double>(count);
}

}  // namespace

std::int64_t resident_kb(int pid) {
  std::ifstream in(fmt::format("/proc/{}/status", pid));
  for (std::string word; in >> word;)
    if (std::int64_t kb = 0; word == "VmRSS:" && in >> kb) return kb;
  return 0;
}

double GatewayMemory::per_session_kb(std::size_t count) const {
  return share(before, sessions, count);
}
double GatewayMemory::per_follower_kb(std::size_t count) const {
  return share(sessions, followers, count);
}

}  // namespace toolway::cli::bench::figures
