#pragma once

#include <cstddef>
#include <cstdint>

#include "chat/history/message.h"

/// How many tokens a request will have. Pure.
namespace toolway::chat::window {

/// About the bytes of a message in a request: its texts, and what is written around them.
std::size_t sent_bytes(const history::Message& message);

/// Tokens of bytes, at the rate of the requests that a provider has counted. Not thread-safe.
class Estimate {
 public:
  std::uint64_t tokens(std::size_t bytes) const;
  /// The most bytes that have at most `tokens`.
  std::size_t bytes(std::uint64_t tokens) const;
  /// A request of `bytes` had `tokens`, by the provider's usage; 0: it did not say.
  void learn(std::size_t bytes, std::uint64_t tokens);

 private:
  /// Before the first request: more than English and code have.
  double tokens_per_byte_ = 0.4;
};

}  // namespace toolway::chat::window
