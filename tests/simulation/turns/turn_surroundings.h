#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tests/simulation/gateway_life.h"
#include "tests/simulation/turns/attempts.h"
#include "tests/simulation/turns/sim_conversations.h"

namespace toolway::simulation::turns {

/// What all chat processes of a schedule share.
struct TurnSurroundings {
  const Surroundings around;
  Checker& checker;  ///< of calls
  const Tables& tables;
  TurnDatabase& database;
  AttemptsOfLives& attempts;
  /// A running one, or null.
  std::function<GatewayLife*()> gateway;
  /// Until then chat processes reach no gateway, though others do.
  Micros apart_until{};
  std::uint64_t calls_made = 0;
  std::uint64_t turns_made = 0;
  std::uint64_t said = 0;  ///< by models
};

/// The gateway that a chat process reaches, or null.
GatewayLife* gateway_of_turns(const TurnSurroundings& turns);

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

/// What the checker of calls, the streams and the collectors' tables know.
class CheckedCalls final : public KnownCalls {
 public:
  CheckedCalls(const Checker& checker, Server& server, const Tables& tables)
      : checker_(checker), server_(server), tables_(tables) {}
  std::optional<Known> find(const std::string& call) const override;
  std::string under(const std::string& key) const override;
  std::vector<Accepted> accepted(const std::string& session) const override;

 private:
  const Checker& checker_;
  Server& server_;
  const Tables& tables_;
};

/// How a call ended, as GET /v1/calls says it; nothing: it has not.
std::optional<v1::CallEvent> completion_of(const TurnSurroundings& turns, const std::string& call);

/// A turn's call, not sent yet.
v1::CallRequest turn_request(TurnSurroundings& turns, const std::string& session_key,
                             const Json& arguments);

}  // namespace toolway::simulation::turns
