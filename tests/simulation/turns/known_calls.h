#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "persistence/conversations/conversation_store.h"
#include "tests/simulation/random.h"

namespace toolway::simulation::turns {

/// What the checkers are told of calls, which they do not take from the store.
class KnownCalls {
 public:
  struct Known {
    std::string key;       ///< its Idempotency-Key
    std::string parent{};  ///< the turn that made it
    bool is_turn = false;
    std::string content{};  ///< of a turn: the user's message
    bool ended = false;
    bool end_recorded = false;  ///< by the collectors
    bool succeeded = false;
    bool stopped = false;          ///< by a user, a limit, or since it was lost
    unsigned attempt = 0;          ///< the newest one
    std::set<unsigned> started{};  ///< attempts whose Started is stored
    std::string result{};          ///< JSON
  };
  /// A turn, and its messages in stream CALLS.
  struct Accepted {
    struct Message {
      std::uint64_t sequence = 0;
      Micros at{};
      bool kept = true;  ///< it is there still
    };
    std::string turn;
    std::vector<Message> messages;  ///< the first one first
  };
  virtual ~KnownCalls() = default;
  /// Nothing: no such call was ever stored.
  virtual std::optional<Known> find(const std::string& call) const = 0;
  /// The call that was stored under an Idempotency-Key; empty: none was.
  virtual std::string under(const std::string& key) const = 0;
  /// The turns of a session, in any order.
  virtual std::vector<Accepted> accepted(const std::string& session) const = 0;
};

/// What the checkers are told of attempts of turns, by those who run them.
class KnownAttempts {
 public:
  using Writer = persistence::conversations::Writer;
  virtual ~KnownAttempts() = default;
  /// For how long a process has run it without a break; nothing: none runs it.
  virtual std::optional<Micros> runs_for(const Writer& writer) const = 0;
  /// Whether its worker has asked it to stop.
  virtual bool asked_to_stop(const Writer& writer) const = 0;
};

}  // namespace toolway::simulation::turns
