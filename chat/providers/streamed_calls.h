#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/json.h"

namespace toolway::chat::providers {

/// The calls of a message of Chat Completions, put together from the pieces of its deltas. Servers
/// differ in which of index and id a piece has. Pure; one thread.
class StreamedCalls {
 public:
  /// The `tool_calls` of one delta.
  void take(const OrderedJson& pieces);
  std::size_t size() const { return calls_.size(); }
  /// As `tool_calls` of a whole message has them, by index.
  OrderedJson take_all();

 private:
  struct Call {
    std::int64_t index = 0;
    OrderedJson value = OrderedJson::object();
  };

  Call& call_of(const OrderedJson& piece);
  Call& begin(std::int64_t index);
  std::int64_t next_index() const;

  std::vector<Call> calls_;                     // in the order in which they began
  std::map<std::int64_t, std::size_t> newest_;  // of each index, where it is
  std::size_t last_ = 0;                        // that a piece was of
};

}  // namespace toolway::chat::providers
