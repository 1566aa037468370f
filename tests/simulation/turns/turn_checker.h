#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "tests/simulation/turns/conversation_tables.h"
#include "tests/simulation/turns/known_calls.h"
#include "tests/simulation/world.h"

namespace toolway::simulation::turns {

/// Holds the turns of a schedule to the promises about conversations. It watches what writers take
/// and add, keeps books of its own, and asks the store nothing. Which turn comes when is a matter
/// of OrderChecker.
class TurnChecker {
 public:
  TurnChecker(World& world, const KnownCalls& calls, const KnownAttempts& attempts)
      : world_(world), calls_(calls), attempts_(attempts) {}

  using Writer = conversations::Writer;
  /// A writer was given a conversation.
  void taken(const std::string& conversation, const Writer& writer, const std::string& process);
  /// A writer's message was stored.
  void added(const std::string& conversation, const Writer& writer,
             const conversations::StoredMessage& message, const std::string& process);
  /// The store says that a writer should stop: it has lost its conversation, or was interrupted.
  void told_to_stop(const Writer& writer) { told_to_stop_.insert(writer); }
  /// What was not on the disk is gone.
  void rolled_back(const ConversationTables& tables);
  /// Once enough time has passed without faults.
  void check_end(const ConversationTables& tables);

  /// That were stored.
  std::uint64_t messages() const { return messages_; }

 private:
  struct Row {
    Writer writer;
    Json message;
  };
  struct Conversation {
    std::optional<Writer> writer;
    std::vector<Row> rows;
  };
  void check_order(const std::string& id, const Conversation& one, const Row& row);
  void check_results(const std::string& id, const Row& asked, const Row& row, std::size_t number);
  void check_result(const std::string& id, const Row& asked, const Json& result,
                    const std::string& key);
  void check_known(const std::string& id, const Row& row);
  void check_told(const std::string& id, const Conversation& one, const Row& row);
  void check_user(const std::string& id, const Conversation& one, const Row& row);
  void check_all_told(const ConversationTables::Conversation& stored);
  void check_auto_turns(const std::string& id, const Conversation& one);
  void check_replies();
  void check_unknown(const std::string& id, const Conversation& one);

  World& world_;
  const KnownCalls& calls_;
  const KnownAttempts& attempts_;
  std::map<std::string, Conversation> conversations_;
  std::uint64_t messages_ = 0;
  std::map<std::string, unsigned> newest_;  ///< of turns: the attempt that has taken last
  std::set<Writer> told_to_stop_;
};

}  // namespace toolway::simulation::turns
