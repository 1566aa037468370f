#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "bus/stream_reader.h"

namespace toolway::bus {

/// Consumers of one stream that need not be asked how they are: what has nothing to deliver, and
/// nothing unacknowledged, stays so until its stream stores another message. Only `waiting` may
/// differ. Pure.
class SettledConsumers {
 public:
  /// How the stream is, asked before its consumers are. Forgets them all if it has stored a
  /// message, and every tenth time: one may have been deleted and made again.
  void look(const StreamState& stream);
  /// How a consumer is, asked after the last `look`.
  void answered(const std::string& durable, const ConsumerState& state);
  /// How a consumer still is. Nothing: ask it.
  std::optional<ConsumerState> find(std::string_view durable) const;

 private:
  std::int64_t incarnation_ = 0;
  std::uint64_t last_sequence_ = 0;
  unsigned looks_ = 0;
  std::map<std::string, ConsumerState, std::less<>> settled_;
};

}  // namespace toolway::bus
