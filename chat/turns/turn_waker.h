#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "base/back_off.h"
#include "base/clock.h"
#include "persistence/conversations/conversation_store.h"

namespace toolway::chat::turns {

/// Begins turns where calls have ended that no message tells. Where one could not begin, it is
/// tried again after 2 s, and then after twice as long, up to a minute. Not thread-safe.
class TurnWaker {
 public:
  using Store = persistence::conversations::ConversationStore;
  using Wakeable = persistence::conversations::Wakeable;

  /// How often it should look.
  static constexpr std::chrono::seconds kInterval{1};
  /// Calls that end within that time are told together.
  static constexpr std::chrono::seconds kSettled{2};

  /// What a gateway says of a turn.
  enum class Answer {
    kBegins,
    kNotNow,
    kNotAllowed,  ///< its user may begin none: none is tried until the user writes again
  };
  /// Both outlive it. `begin` asks a gateway for a turn, and blocks.
  TurnWaker(Store& store, const Clock& clock, std::function<Answer(const Wakeable&)> begin)
      : store_(store), clock_(clock), begin_(std::move(begin)) {}

  /// Looks once, and begins what is due, unless `stop` is requested. Blocks.
  void wake(const std::stop_token& stop);

 private:
  /// One whose turn could not begin is left alone until then.
  struct Later {
    MonotonicTime until{};
    BackOff delay{std::chrono::seconds(2), std::chrono::seconds(60)};
  };
  void begin(const Wakeable& one);

  Store& store_;
  const Clock& clock_;
  const std::function<Answer(const Wakeable&)> begin_;
  std::unordered_map<std::string, Later> later_;  ///< by conversation
};

}  // namespace toolway::chat::turns
