#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

#include "gateway/loop/async_bus.h"
#include "gateway/wire/http_types.h"
#include "tools/model/registry.h"

namespace toolway::gateway::catalogue {

/// Puts specs where workers find them: in the bucket `specs`, by digest, before a
/// call that names one is published. Writes each once, and again long before the
/// bucket forgets it. On the io_context's thread.
class SpecShelf {
 public:
  explicit SpecShelf(loop::AsyncBus& bus) : bus_(bus) {}
  /// Returns once the bus has stored it. Errors: the bus's; no call may then be published.
  loop::Task<Result<void>> put(const tools::model::RegisteredTool& tool);

 private:
  loop::AsyncBus& bus_;
  std::unordered_map<std::string, std::chrono::steady_clock::time_point> written_;
};

}  // namespace toolway::gateway::catalogue
