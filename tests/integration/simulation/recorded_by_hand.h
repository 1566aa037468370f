#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/simulation/turns/conversation_tables.h"

namespace toolway::simulation::turns {

/// What collectors have recorded, as a test has it.
class RecordedByHand final : public RecordedCalls {
 public:
  struct Completion {
    std::string session;
    Ended ended;
    std::string place;  ///< as Postgres writes it
  };

  std::optional<Micros> ended(const std::string& call) const override {
    const auto found = std::ranges::find(all, call, [](const auto& one) { return one.ended.call; });
    return found == all.end() ? std::nullopt : std::optional(found->ended.at);
  }
  std::vector<Ended> mailbox(const std::string& session, std::uint64_t after) const override {
    std::vector<Ended> found;
    for (const auto& one : all)
      if (one.session == session && one.ended.place > after) found.push_back(one.ended);
    return found;
  }
  std::uint64_t last_place() const override { return all.size(); }

  std::vector<Completion> all;
};

}  // namespace toolway::simulation::turns
