#include "tests/chaos/freeze.h"

#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <vector>

namespace toolway::chaos {
namespace {

/// The process, its children, theirs; a parent comes before its children.
std::vector<int> family(int pid) {
  std::vector<int> all{pid};
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", all[i]));
    for (int child = 0; children >> child;) all.push_back(child);
  }
  return all;
}

}  // namespace

void freeze(int pid) {
  // First those that could make more of them.
  kill(pid, SIGSTOP);
  for (const int member : family(pid)) kill(member, SIGSTOP);
}

void thaw(int pid) {
  const auto all = family(pid);
  for (auto member = all.rbegin(); member != all.rend(); ++member) kill(*member, SIGCONT);
}

}  // namespace toolway::chaos
