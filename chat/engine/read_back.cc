#include "chat/engine/read_back.h"

#include <algorithm>

#include "base/try.h"

namespace toolway::chat::engine {
namespace {

/// What is read at a time, of what has been read before.
constexpr double kMinShare = 0.1;
constexpr double kMaxShare = 4;
/// Messages differ in length: without some more than what is missing, a little is, and is read for
/// itself.
constexpr double kSpare = 1.05;

/// What an earlier engine of this conversation learned of its last request: how many messages of
/// that request are not read. 0: it is known, or nothing is.
std::size_t remember_request(const Known& known, tools::messages::Blocks blocks) {
  if (known.estimate.knows_request()) return 0;
  const auto& messages = known.memory.history().messages();
  for (auto end = messages.size(); end-- > 0;) {
    const auto& usage = messages[end].usage;
    if (!usage) continue;
    if (usage->sent == 0) return 0;
    if (usage->sent > end) return usage->sent - end;
    const auto first = end - usage->sent;
    window::Tokens all;
    for (auto i = first; i < end; ++i) all += known.counts.of(messages, i, blocks);
    known.estimate.remember({.system = 0, .round = first, .first = first, .end = end}, all,
                            usage->input);
    return 0;
  }
  return 0;
}

/// How much more a request can have, of what has been read; 0: nothing.
double missing_share(const Known& known, const window::Bounds& bounds, bool whole) {
  const auto& history = known.memory.history();
  const auto read = static_cast<double>(std::max<std::size_t>(history.messages().size(), 1));
  if (const auto unread = remember_request(known, bounds.blocks); unread > 0)
    return static_cast<double>(unread) / read;
  if (whole && history.summary() == nullptr) return 1;
  const auto window = window::choose(history.messages(), bounds, known.estimate, known.counts);
  const bool enough = bounds.max_messages != 0 && history.messages().size() >= bounds.max_messages;
  if (!window.fits || window.dropped > 0 || enough) return 0;
  const auto tokens = known.estimate.at_most(window.load);
  const auto left = static_cast<double>(bounds.tokens - std::min(tokens, bounds.tokens));
  return std::max(left / static_cast<double>(std::max<std::uint64_t>(tokens, 1)), kMinShare);
}

}  // namespace

Result<void> read_back(const Known& known, const window::Bounds& bounds, bool whole) {
  for (;;) {
    const auto share = missing_share(known, bounds, whole);
    if (share <= 0) return {};
    ASSIGN_OR_RETURN(const auto more,
                     known.memory.read_further(std::clamp(share * kSpare, kMinShare, kMaxShare)));
    if (more == 0) return {};
    known.estimate.shift(more);
    known.counts.shift(more);
  }
}

}  // namespace toolway::chat::engine
