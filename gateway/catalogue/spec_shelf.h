#pragma once

#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "gateway/loop/async_bus.h"
#include "gateway/wire/http_types.h"
#include "tools/model/registry.h"

namespace toolway::gateway::catalogue {

/// Puts specs where workers find them: in the bucket `specs`, by digest, before a
/// call that names one is published. Writes each once, and again long before the
/// bucket forgets it. On the io_context's thread.
class SpecShelf {
 public:
  SpecShelf(loop::AsyncBus& bus, const Clock& clock) : bus_(bus), clock_(clock) {}
  /// Returns once the bus has stored it. Errors: the bus's; no call may then be published.
  loop::Task<Result<void>> put(const tools::model::RegisteredTool& tool);

 private:
  loop::AsyncBus& bus_;
  const Clock& clock_;
  std::unordered_map<std::string, MonotonicTime> written_;
};

}  // namespace toolway::gateway::catalogue
