#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chat/window/counts.h"
#include "chat/window/estimate.h"
#include "tools/messages/export.h"

/// What of a history is sent. Pure.
namespace toolway::chat::window {

struct Bounds {
  /// By which count the request is within `tokens`.
  enum class By { kMost, kLikely };

  std::uint64_t tokens = 128'000;  ///< of the whole request
  By by = By::kMost;
  Besides besides{};
  std::size_t max_messages = 0;  ///< system messages not counted; 0: no limit
  std::size_t covered = 0;       ///< messages at the beginning that a summary is sent for
  tools::messages::Blocks blocks = tools::messages::Blocks::kAsText;  ///< that are sent
};

struct Window {
  tools::messages::Selection messages;
  std::size_t dropped = 0;  ///< messages that are not sent
  Chosen chosen;            ///< the same messages
  Load load;                ///< of all that is sent
  /// Left out are [from, to), save a message of the user that is always sent; `from` is where the
  /// summary ends. Never between calls and their results.
  std::size_t from = 0;
  std::size_t to = 0;
  bool fits = true;     ///< false: what is always sent may not, and is all that is sent
  bool may_fit = true;  ///< false: not even what is always sent is likely to
};

/// Chooses from the newest back, and reads no further than it sends. Always sent are system
/// messages at the beginning, the last message of the user's side that begins a round, and the
/// newest messages after it that belong together. Whole rounds are left out, oldest first; within
/// the last one, calls with their results. A round is what comes from one message of the user to
/// before the next. What a summary covers is sent only as far as it is always sent.
Window choose(const std::vector<tools::messages::Message>& messages, const Bounds& bounds,
              const Estimate& estimate);
/// The same where messages were counted before.
Window choose(const std::vector<tools::messages::Message>& messages, const Bounds& bounds,
              const Estimate& estimate, Counts& counts);

/// Whether a message begins a round: the user's, or one that was injected while nothing was going
/// on.
bool begins_round(const std::vector<tools::messages::Message>& messages, std::size_t index);

}  // namespace toolway::chat::window
