#pragma once

#include <string>

#include "base/result.h"
#include "gateway/loop/asio_types.h"

namespace toolway::gateway::wire {

/// A body that is written as it is read: its length is known, and only one
/// piece of it is in memory. On the io_context's thread.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  /// The next piece, never empty before the end; empty: that was all. After an
  /// error the connection is closed, and the client sees that the body is short.
  virtual loop::Task<Result<std::string>> next() = 0;
};

}  // namespace toolway::gateway::wire
