#include "bus/settled_consumers.h"

namespace toolway::bus {
namespace {

constexpr unsigned kLooks = 10;

}  // namespace

void SettledConsumers::look(const StreamState& stream) {
  const bool same = stream.incarnation == incarnation_ && stream.last_sequence == last_sequence_;
  if (same && ++looks_ < kLooks) return;
  settled_.clear();
  looks_ = 0;
  incarnation_ = stream.incarnation;
  last_sequence_ = stream.last_sequence;
}

void SettledConsumers::answered(const std::string& durable, const ConsumerState& state) {
  if (state.pending == 0 && state.ack_pending == 0) settled_[durable] = state;
}

std::optional<ConsumerState> SettledConsumers::find(std::string_view durable) const {
  const auto found = settled_.find(durable);
  return found == settled_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace toolway::bus
