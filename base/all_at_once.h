#pragma once

#include <system_error>
#include <thread>
#include <vector>

namespace toolway {

/// Runs `work(item)` for each item, each on its own thread, and waits for all. Items for which the
/// system has no thread run here, one after the other: later, but they run. `work` must not throw.
template <typename Items, typename Work>
void all_at_once(Items& items, Work work) {
  std::vector<std::jthread> threads;
  std::vector<decltype(&*items.begin())> left;
  threads.reserve(items.size());
  left.reserve(items.size());
  for (auto& item : items) {
    try {
      threads.emplace_back([&work, &item] { work(item); });
    } catch (const std::system_error&) {
      left.push_back(&item);
    }
  }
  for (auto* item : left) work(*item);
}

}  // namespace toolway
