#include "extensions/chain/chain_metrics.h"

#include <spdlog/spdlog.h>

#include "monitoring/metric_names.h"

namespace toolway::extensions::chain {
namespace {

constexpr std::chrono::minutes kLogInterval{1};

}  // namespace

ChainMetrics::ChainMetrics(monitoring::Metrics& metrics, const Clock& clock,
                           std::span<const ExtensionType> types)
    : metrics_(metrics), clock_(clock) {
  for (const auto& type : types) kept_.try_emplace(std::string(type.name));
}

const ChainMetrics::Instruments& ChainMetrics::of(std::string_view extension) {
  auto& kept = kept_.find(extension)->second;
  std::call_once(kept.once, [&] {
    const auto count = [&](std::string_view decision) -> auto& {
      return metrics_.counter(monitoring::kExtensionDecisions,
                              {{"extension", extension}, {"decision", decision}});
    };
    const auto time = [&](std::string_view phase) -> auto& {
      return metrics_.histogram(monitoring::kExtensionTime,
                                {{"extension", extension}, {"phase", phase}});
    };
    kept.instruments.emplace(Instruments{count("allow"), count("refuse"), count("hold"),
                                         count("failed"), time("before"), time("after")});
  });
  return *kept.instruments;
}

void ChainMetrics::allowed(std::string_view extension) { of(extension).allowed.add(); }
void ChainMetrics::refused(std::string_view extension) { of(extension).refused.add(); }
void ChainMetrics::held(std::string_view extension) { of(extension).held.add(); }

void ChainMetrics::failed(std::string_view extension, OnFailure on_failure, std::string_view why) {
  of(extension).failed.add();
  const auto now = clock_.monotonic();
  {
    const MutexLock lock(mutex_);
    const auto [logged, first] = logged_.try_emplace(std::string(extension), now);
    if (!first && now - logged->second < kLogInterval) return;
    logged->second = now;
  }
  spdlog::error("extension {} failed: {}; calls are {}", extension, why,
                on_failure == OnFailure::kClosed ? "refused" : "not judged by it");
}

void ChainMetrics::took(std::string_view extension, Phase phase, std::chrono::nanoseconds time) {
  const auto& instruments = of(extension);
  (phase == Phase::kBefore ? instruments.before : instruments.after).observe(time);
}

}  // namespace toolway::extensions::chain
