#pragma once

#include <list>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

#include "tests/simulation/process.h"
#include "tests/simulation/turns/known_calls.h"

namespace toolway::simulation::turns {

/// The attempts of turns that run, or have run, in the chat processes of a schedule.
class AttemptsOfLives final : public KnownAttempts {
 public:
  explicit AttemptsOfLives(const World& world) : world_(world) {}

  /// Says that it runs, until what is returned is gone. `stop`: how its worker asks it to stop.
  std::shared_ptr<void> run(const Writer& writer, std::shared_ptr<const Process> process,
                            std::stop_token stop);
  std::optional<Micros> runs_for(const Writer& writer) const override;
  bool asked_to_stop(const Writer& writer) const override;

 private:
  struct Run {
    std::weak_ptr<const Process> process;  ///< empty once it has ended
    Micros began{};
    std::stop_token stop;
  };
  const World& world_;
  /// More than one where an attempt's number is not its own.
  std::map<Writer, std::vector<std::shared_ptr<Run>>> runs_;
};

}  // namespace toolway::simulation::turns
