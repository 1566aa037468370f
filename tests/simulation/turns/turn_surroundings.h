#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tests/simulation/gateway_life.h"
#include "tests/simulation/turns/sim_conversations.h"

namespace toolway::simulation::turns {

/// What all chat processes of a schedule share.
struct TurnSurroundings {
  const Surroundings around;
  Checker& checker;  ///< of calls
  const Tables& tables;
  TurnDatabase& database;
  /// A running one, or null.
  std::function<GatewayLife*()> gateway;
  std::uint64_t calls_made = 0;
  std::uint64_t turns_made = 0;
  std::uint64_t said = 0;  ///< by models
};

/// What Postgres has of calls, from the collectors' tables.
class RecordedInTables final : public RecordedCalls {
 public:
  explicit RecordedInTables(const Tables& tables) : tables_(tables) {}
  std::optional<Micros> ended(const std::string& call) const override;
  std::vector<Ended> mailbox(const std::string& session, std::uint64_t after) const override;
  std::uint64_t last_place() const override { return tables_.mailbox().size(); }

 private:
  const Tables& tables_;
};

/// What the checker of calls knows.
class CheckedCalls final : public KnownCalls {
 public:
  explicit CheckedCalls(const Checker& checker) : checker_(checker) {}
  std::optional<Known> find(const std::string& call) const override;
  std::string under(const std::string& key) const override;

 private:
  const Checker& checker_;
};

/// How a call ended, as GET /v1/calls says it; nothing: it has not.
std::optional<v1::CallEvent> completion_of(const TurnSurroundings& turns, const std::string& call);

/// A turn's call, not sent yet.
v1::CallRequest turn_request(TurnSurroundings& turns, const std::string& session_key,
                             const Json& arguments);

}  // namespace toolway::simulation::turns
