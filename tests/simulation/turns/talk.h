#pragma once

#include "tests/simulation/turns/talkers.h"

namespace toolway::simulation::turns {

/// What a schedule has of conversations: their tables, their checker, and who talks.
class Talk {
 public:
  Talk(const Surroundings& around, Checker& checker, const Tables& tables, Broken broken,
       std::function<GatewayLife*()> gateway);

  /// Up to `most` messages, and crashes of Postgres, all before `until`.
  void begin(unsigned most, Micros until);
  TurnSurroundings& surroundings() { return turns_; }
  void check_end() { turn_checker_.check_end(database_.tables()); }
  std::uint64_t messages() const { return turn_checker_.messages(); }

 private:
  void crash_later();
  void part_later(Micros until);

  CheckedCalls calls_;
  RecordedInTables recorded_;
  AttemptsOfLives attempts_;
  TurnChecker turn_checker_;
  OrderChecker order_checker_;
  TurnDatabase database_;
  TurnSurroundings turns_;
  Talkers talkers_;
};

}  // namespace toolway::simulation::turns
