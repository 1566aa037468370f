#include "workers/pool/abandoned_tools.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>

#include "monitoring/metric_names.h"

namespace toolway::workers::pool {

AbandonedTools::AbandonedTools(call::WorkerContext& context)
    : options_(context.options),
      gauge_(context.metrics.gauge(monitoring::kAbandoned, "pool", context.options.pool)) {}

void AbandonedTools::changed(int change) {
  std::string reason;
  {
    const MutexLock lock(mutex_);
    count_ = static_cast<std::size_t>(static_cast<long>(count_) + change);
    gauge_.set(static_cast<double>(count_));
    const std::size_t most =
        std::min<std::size_t>(16, std::max<std::size_t>(1, options_.slots / 2));
    if (count_ < most || unhealthy_) return;
    unhealthy_ = true;
    reason = fmt::format(
        "{} tools were asked to stop and have not returned: only a restart "
        "of this process frees their threads",
        count_);
  }
  spdlog::critical("{}", reason);
  if (options_.on_unhealthy) options_.on_unhealthy(reason);
}

}  // namespace toolway::workers::pool
