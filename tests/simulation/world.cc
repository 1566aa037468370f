#include "tests/simulation/world.h"

#include <algorithm>

namespace toolway::simulation {

void World::after(Micros delay, std::function<void()> what) {
  events_.push_back({now_ + std::max(delay, Micros(0)), order_++, std::move(what)});
  std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

bool World::step(Micros until) {
  if (events_.empty() || events_.front().at > until) {
    now_ = std::max(now_, until);
    return false;
  }
  std::pop_heap(events_.begin(), events_.end(), std::greater<>());
  Event event = std::move(events_.back());
  events_.pop_back();
  now_ = event.at;
  ++steps_;
  event.what();
  return true;
}

void World::write(std::string line) {
  trace_.push_back(fmt::format("{:>11.6f} {}", static_cast<double>(now_.count()) / 1e6, line));
}

void World::report(std::string what) {
  constexpr std::size_t kKept = 10;
  note("VIOLATION {}", what);
  if (violations_.size() < kKept) violations_.push_back(std::move(what));
}

}  // namespace toolway::simulation
