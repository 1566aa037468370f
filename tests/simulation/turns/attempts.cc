#include "tests/simulation/turns/attempts.h"

#include <algorithm>
#include <utility>

namespace toolway::simulation::turns {

std::shared_ptr<void> AttemptsOfLives::run(const Writer& writer,
                                           std::shared_ptr<const Process> process,
                                           std::stop_token stop) {
  auto run = std::make_shared<Run>(Run{process, world_.now(), std::move(stop)});
  runs_[writer].push_back(run);
  return {run.get(), [run](void*) { run->process.reset(); }};
}

std::optional<Micros> AttemptsOfLives::runs_for(const Writer& writer) const {
  std::optional<Micros> longest;
  const auto found = runs_.find(writer);
  if (found == runs_.end()) return longest;
  for (const auto& run : found->second) {
    const auto process = run->process.lock();
    const auto awake = process ? process->awake_since() : std::nullopt;
    if (awake)
      longest = std::max(longest.value_or(Micros(0)), world_.now() - std::max(*awake, run->began));
  }
  return longest;
}

bool AttemptsOfLives::asked_to_stop(const Writer& writer) const {
  const auto found = runs_.find(writer);
  return found != runs_.end() && std::ranges::any_of(found->second, [](const auto& run) {
           return run->stop.stop_requested();
         });
}

}  // namespace toolway::simulation::turns
