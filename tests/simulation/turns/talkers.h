#pragma once

#include "tests/simulation/turns/turn_surroundings.h"

namespace toolway::simulation::turns {

/// Users who talk to a model: they send messages, often while a turn runs, repeat requests whose
/// answer they do not know, interrupt, cancel, and begin new conversations.
class Talkers {
 public:
  explicit Talkers(TurnSurroundings& turns) : turns_(turns) {}

  /// Sends message number `number` now, and does later what users do about it.
  void say(std::uint64_t number, const std::string& session_key, Micros until);

 private:
  Json draw(std::uint64_t number);
  void send(const v1::CallRequest& request, const std::string& key);
  void repeat_later(v1::CallRequest request, const std::string& key, Micros until);
  void cancel_later(const std::string& call);

  TurnSurroundings& turns_;
};

}  // namespace toolway::simulation::turns
