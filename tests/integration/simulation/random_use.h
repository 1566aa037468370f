#pragma once

#include <array>

#include "tests/integration/simulation/both_stores.h"

namespace toolway::simulation::turns {

/// Does by chance what chat processes do with a store, and often what they should not: under a
/// lease that has been lost, of an attempt that is an old one, with a number that is taken.
class RandomUse : public BothStores {
 protected:
  /// Ends at the first difference.
  void use(std::uint64_t seed, int steps);

 private:
  using One = ConversationTables::Conversation;

  void step();
  void take_one();
  void arrive_some();
  void ask_about_some();
  void start_one();
  void renew_some();
  void give_back();
  void add_message();
  void read();
  void tell_news();
  void look_for_wakeable();
  void end_call();

  Owner owner();
  std::string some_turn();
  std::string some_call(const Owner& owner);
  /// The one that has the session's conversation, most times.
  Writer writer(const Owner& owner);
  /// Null: there is none yet. A current one, most times.
  const One* conversation();
  const One* current(const Owner& owner) const;
  conversations::Arrival arrival(const Owner& owner);
  conversations::CallNotes notes(const One& of);

  Random random_{0};
};

}  // namespace toolway::simulation::turns
