#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "tests/integration/persistence/conversations_fixture.h"
#include "tests/integration/simulation/recorded_by_hand.h"

namespace toolway::simulation::turns {

/// The tables of conversations twice: in a real Postgres, and as the simulation has them. Whatever
/// is done to both must be answered alike, and leave the same rows.
class BothStores : public conversations::ConversationsFixture {
 protected:
  using Store = conversations::ConversationStore;
  using Owner = conversations::Owner;
  using Writer = conversations::Writer;
  using SqlRows = persistence::postgres::SqlRows;

  void SetUp() override;
  /// No conversations, no calls, and this many sessions.
  void begin(int sessions);

  void take(const Owner& owner, const Writer& writer);
  void arrive(const std::vector<conversations::Arrival>& arrivals);
  void are_known(const std::vector<conversations::Arrival>& turns);
  void ask_to_stop(const Owner& owner);
  void start_new(const Owner& owner, const Writer& writer, const std::string& options);
  void renew(const std::vector<conversations::Lease>& leases);
  void release(const Owner& owner, const Writer& writer);
  void leave(const Owner& owner, const Writer& writer);
  /// Conversations have the ids that the model gave them. `notes.heard`: a number of a completion.
  void append(const std::string& id, const Writer& writer,
              const conversations::StoredMessage& message, const conversations::CallNotes& notes);
  void last_before(const std::string& id, std::uint64_t before, std::size_t bytes);
  /// `after`: a completion, from 1; 0: what the conversation has heard.
  void news(const std::string& id, std::uint64_t after);
  void count_auto_turn(const std::string& id);
  void wakeable(std::chrono::seconds settled, const std::vector<std::string>& besides);
  void stop_waking(const std::string& id);

  /// A call ends. `known`: it is recorded itself.
  void complete(const Owner& owner, const std::string& call, bool of_turn, bool known);
  /// A call is recorded after its completion.
  void record(std::size_t completion, bool of_turn);
  /// Time passes.
  void pass(std::chrono::seconds time);

  Micros now() const {
    return std::chrono::duration_cast<Micros>(std::chrono::steady_clock::now() - begun_) + passed_;
  }

  std::vector<Owner> owners_;
  RecordedByHand recorded_;
  std::unique_ptr<ConversationTables> tables_;
  std::vector<std::string> done_;  ///< what was done, for a test that fails

 private:
  template <typename P, typename M>
  void compare(const std::string& what, P postgres, M model,
               std::chrono::seconds settled = std::chrono::seconds(0));
  void step_back_from_limits(std::chrono::seconds settled);
  bool near_limit(std::chrono::seconds settled) const;
  SqlRows ask(const std::string& sql);
  void insert_call(const Owner& owner, const std::string& call, bool of_turn);
  /// Reads what Postgres has, and learns which ids its conversations have.
  std::string rows_of_postgres();
  std::string rows_of_model();
  std::string postgres_id(const std::string& id) const;
  std::string postgres_place(std::uint64_t completion) const;
  /// Of a session, or a conversation: the same in both.
  std::string name(const std::string& id) const;
  std::string names_of(const std::vector<conversations::Arrival>& arrivals) const;
  std::string session_name(const std::string& key) const;

  std::string text(const Result<void>& result) const;
  std::string text(bool flag) const { return flag ? "yes" : "no"; }
  std::string text(const Store::TakeResult& result) const;
  std::string text(const conversations::Opened& opened) const;
  std::string text(const Store::Renewed& renewed) const;
  std::string text(const std::vector<conversations::Arrived>& arrived) const;
  std::string text(const std::vector<bool>& flags) const;
  std::string text(const std::vector<conversations::StoredMessage>& messages) const;
  std::string text(const conversations::CallNews& news) const;
  std::string text(const std::vector<conversations::Wakeable>& found) const;
  template <typename T>
  std::string text(const Result<T>& result) const {
    return result ? text(*result) : std::string(code_name(result.error().code));
  }

  std::optional<persistence::postgres::PgConnection> watch_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Micros passed_{0};
  std::map<std::string, std::string> names_;         ///< of conversations of both, by id
  std::map<std::string, std::string> postgres_ids_;  ///< by name
};

}  // namespace toolway::simulation::turns
