#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "tests/simulation/turns/conversation_tables.h"
#include "tests/simulation/world.h"

namespace toolway::simulation::turns {

/// What the checker is told of calls, which it does not take from the store.
class KnownCalls {
 public:
  struct Known {
    std::string key;       ///< its Idempotency-Key
    std::string parent{};  ///< the turn that made it
    bool is_turn = false;
    std::string content{};  ///< of a turn: the user's message
    bool ended = false;
    bool succeeded = false;
    bool stopped = false;  ///< by a user, a limit, or since it was lost
    unsigned attempt = 0;  ///< the newest one
    std::string result{};  ///< JSON
  };
  virtual ~KnownCalls() = default;
  /// Nothing: no such call was ever stored.
  virtual std::optional<Known> find(const std::string& call) const = 0;
  /// The call that was stored under an Idempotency-Key; empty: none was.
  virtual std::string under(const std::string& key) const = 0;
};

/// Holds the turns of a schedule to the promises about conversations. It watches what writers take
/// and add, keeps books of its own, and asks the store nothing.
class TurnChecker {
 public:
  TurnChecker(World& world, const KnownCalls& calls) : world_(world), calls_(calls) {}

  using Writer = conversations::Writer;
  /// A writer was given a conversation.
  void taken(const std::string& conversation, const Writer& writer, const std::string& process);
  /// A writer's message was stored.
  void added(const std::string& conversation, const Writer& writer,
             const conversations::StoredMessage& message, const std::string& process);
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
  void check_result(const std::string& id, const Json& result, const std::string& key);
  void check_told(const std::string& id, const Conversation& one, const Row& row);
  void check_user(const std::string& id, const Conversation& one, const Row& row);
  void check_all_told(const ConversationTables::Conversation& stored);
  void check_auto_turns(const std::string& id, const Conversation& one);
  void check_replies();
  void check_unknown(const std::string& id, const Conversation& one);

  World& world_;
  const KnownCalls& calls_;
  std::map<std::string, Conversation> conversations_;
  std::uint64_t messages_ = 0;
  std::map<std::string, unsigned> attempts_;  ///< of turns: the newest that has taken
};

}  // namespace toolway::simulation::turns
