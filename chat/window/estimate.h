#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "chat/window/tokens.h"

/// How many tokens a request will have. Pure.
namespace toolway::chat::window {

/// What is sent besides the messages of the history. Empty: it is not sent.
struct Besides {
  Tokens system_prompt;
  Tokens tools;
  Tokens summary;
  Tokens continuation;

  std::array<Tokens, 4> parts() const { return {system_prompt, tools, summary, continuation}; }
};

/// Which messages of a history a request has: the system's at the beginning, one of the user, and
/// the newest.
struct Chosen {
  std::size_t system = 0;  ///< [0, system)
  std::size_t round = 0;
  std::size_t first = 0;  ///< [first, end)
  std::size_t end = 0;

  /// How many messages it is when they are the newest and nothing else; 0: it is not.
  std::size_t newest() const {
    if (system > 0) return 0;
    if (round + 1 == first) return end - round;
    return round >= first ? end - first : 0;
  }
  bool has(std::size_t message) const {
    return message < system || (message == round && message < end) ||
           (message >= first && message < end);
  }
};

/// Of a request, or of a part of one.
struct Load {
  Tokens all;
  Tokens counted;  ///< of it, what was in the request that the provider counted last
};

/// Learns from what a provider counts. Of one conversation; not thread-safe.
class Estimate {
 public:
  /// Of a message of the history, and of what is sent besides.
  Load load(std::size_t message, const Tokens& tokens) const;
  Load load(const Besides& besides) const;

  std::uint64_t likely(const Load& load) const;
  /// What a request has at most. What was counted is known; of the rest a text may have its `most`.
  std::uint64_t at_most(const Load& load) const;

  /// A request had `tokens`, by the provider's usage; 0: it did not say.
  void learn(const Chosen& chosen, const Besides& besides, const Load& load, std::uint64_t tokens);
  /// Whether it knows what a request of this conversation had.
  bool knows_request() const { return last_.has_value(); }
  /// A request before this began: the messages `chosen`, with what was sent besides, had `tokens`.
  void remember(const Chosen& chosen, const Tokens& messages, std::uint64_t tokens);
  /// `messages` of the conversation were put before all that were known.
  void shift(std::size_t messages);
  /// Another conversation begins: what is known of the provider stays.
  void forget_request() { last_.reset(); }

 private:
  struct Counted {
    Chosen chosen;
    Besides besides;
    Tokens all;
    double tokens = 0;
    bool remembered = false;  ///< what was sent besides is not in `all`
  };
  /// What the request counted last has more than is in `load`.
  Tokens dropped(const Load& load) const { return last_->all - load.counted; }

  /// How much of it is not in the request counted last, or only there.
  double changed_texts(const Load& load) const;

  std::optional<Counted> last_;
  Rates rates_;
  double excess_ = 1;  // tokens for one that is the most, where a server counts still more
};

}  // namespace toolway::chat::window
