#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/process.h"
#include "tests/simulation/turns/order_checker.h"
#include "tests/simulation/turns/turn_checker.h"

namespace toolway::simulation::turns {

/// Postgres, as far as turns use it: the tables, and whether it answers.
class TurnDatabase {
 public:
  TurnDatabase(World& world, const RecordedCalls& recorded, TurnChecker& checker,
               OrderChecker& order, Broken broken)
      : world_(world), tables_(recorded, broken), checker_(checker), order_(order) {}

  /// What was not safe is gone, and no one is answered for a while.
  void crash(Micros lasts);
  bool is_up() const { return world_.now() >= down_until_; }
  ConversationTables& tables() { return tables_; }
  TurnChecker& checker() { return checker_; }
  OrderChecker& order() { return order_; }
  /// Whether this process is the one that wakes conversations: the lock goes with its holder.
  bool is_elected(const std::shared_ptr<Process>& process);

 private:
  World& world_;
  ConversationTables tables_;
  TurnChecker& checker_;
  OrderChecker& order_;
  Micros down_until_{0};
  std::weak_ptr<Process> elected_;
};

/// The store as one process reaches it, on the fibers of that process: what it asks for may be
/// done without an answer, late, or not at all.
class SimConversations final : public conversations::ConversationStore {
 public:
  SimConversations(const Surroundings& around, std::shared_ptr<Process> process,
                   TurnDatabase& database)
      : around_(around), process_(std::move(process)), database_(database) {}

  using Owner = conversations::Owner;
  using Writer = conversations::Writer;

  Result<TakeResult> take(const Owner& owner, const Writer& writer) override;
  Result<std::vector<conversations::Arrived>> arrive(
      const std::vector<conversations::Arrival>& arrivals) override;
  Result<std::vector<bool>> are_known(const std::vector<conversations::Arrival>& turns) override;
  Result<void> ask_to_stop(const Owner& owner) override;
  Result<conversations::Opened> start_new(const Owner& owner, const Writer& writer,
                                          const std::string& options) override;
  Result<std::optional<conversations::Opened>> left_by(const Owner& owner, const std::string& turn,
                                                       const std::string& current) override;
  Result<Renewed> renew(const std::vector<conversations::Lease>& leases) override;
  Result<void> release(const Owner& owner, const Writer& writer) override;
  Result<void> leave(const Owner& owner, const Writer& writer) override;
  Result<void> append(const std::string& conversation, const Writer& writer,
                      const conversations::StoredMessage& message,
                      const conversations::CallNotes& notes) override;
  Result<std::vector<conversations::StoredMessage>> last_before(const std::string& conversation,
                                                                std::uint64_t before,
                                                                std::size_t bytes) override;
  Result<conversations::CallNews> news(const std::string& conversation,
                                       const std::string& after) override;
  Result<conversations::Reading> read(const std::string& conversation, std::uint64_t before,
                                      std::size_t bytes) override;
  Result<bool> count_auto_turn(const std::string& conversation) override;
  Result<std::vector<conversations::Wakeable>> wakeable(
      double settled_s, const std::vector<std::string>& besides) override;
  Result<void> stop_waking(const std::string& conversation) override;

 private:
  /// `does`: one transaction.
  template <typename T>
  Result<T> ask(std::function<Result<T>()> does);

  ConversationTables& tables() { return database_.tables(); }
  Micros now() const { return around_.world.now(); }

  const Surroundings around_;
  const std::shared_ptr<Process> process_;
  TurnDatabase& database_;
};

}  // namespace toolway::simulation::turns
