#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/turns/conversation_tables.h"
#include "tests/simulation/turns/known_calls.h"
#include "tests/simulation/world.h"

namespace toolway::simulation::turns {

/// Holds the turns of each session to their order, that in which their messages were accepted
/// (docs/conversations.md), and conversations to those who have them. It watches who comes, who
/// waits and who is given a conversation, keeps books of its own, and asks the store nothing.
class OrderChecker {
 public:
  OrderChecker(World& world, const KnownCalls& calls, const KnownAttempts& attempts)
      : world_(world), calls_(calls), attempts_(attempts) {}

  using Writer = conversations::Writer;
  /// Turns have come to a door, and this was the answer.
  void arrived(const std::vector<conversations::Arrival>& turns,
               const std::vector<conversations::Arrived>& answers);
  /// A turn has asked for its conversation, and was not given it.
  void waits(const std::string& session, const Writer& writer, conversations::Taken why);
  void taken(const std::string& session, const Writer& writer);
  /// A writer has added a message, renewed what it has, or left it to its next attempt.
  void heard(const std::string& session, const Writer& writer);
  /// A writer has said that its turn has ended.
  void released(const std::string& session, const Writer& writer);
  /// What was not on the disk is gone.
  void rolled_back(const ConversationTables& tables);

 private:
  struct Waiting {
    std::uint64_t place = 0;
    Micros heard{};
  };
  struct Session {
    std::optional<Writer> holder{};
    Micros heard{};  ///< of the holder
    std::map<std::string, Waiting> waiting{};
    /// Turns that have given their place up, those that were one too many, and those whose place a
    /// crash has lost: until they come again.
    std::set<std::string> placeless{};
  };
  using Accepted = std::vector<KnownCalls::Accepted>;
  void check_holder(const Session& one, const Writer& writer);
  void check_earlier(const std::string& session, const Session& one, const Writer& writer);
  /// Where a turn is in the order that others must keep to; nothing: they need not.
  std::optional<std::uint64_t> owed(const Session& one, const KnownCalls::Accepted& turn,
                                    bool looked_for) const;

  World& world_;
  const KnownCalls& calls_;
  const KnownAttempts& attempts_;
  std::map<std::string, Session> sessions_;
};

}  // namespace toolway::simulation::turns
