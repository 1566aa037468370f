#include "workers/pool/recording_guard.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <utility>

#include "bus/lost_answer.h"
#include "monitoring/metric_names.h"

namespace toolway::workers::pool {
namespace {

bus::RecordingMeter meter_of(const call::WorkerContext& context, std::string_view stream) {
  return {context.bus, context.clock, std::string(stream)};
}

}  // namespace

RecordingGuard::RecordingGuard(std::shared_ptr<call::WorkerContext> context, Slots& slots,
                               Changed changed)
    : context_(std::move(context)),
      slots_(slots),
      changed_(std::move(changed)),
      gauge_(context_->metrics.gauge(monitoring::kPaused, "pool", context_->options.pool)),
      meters_{meter_of(*context_, proto::kCallsStream), meter_of(*context_, proto::kEventsStream),
              meter_of(*context_, proto::kBlobsStream)} {}

void RecordingGuard::measure() {
  {
    const MutexLock lock(slots_.mutex);
    if (measuring_ > 0) return;
    measuring_ = meters_.size();
  }
  for (std::size_t i = 0; i < meters_.size(); ++i) {
    const auto handler = [this, context = context_, i](const Result<bus::Unrecorded>& part) {
      const threads::GateLock entered(context->gate);
      if (entered) measured(i, part);
    };
    bus::ask_or_lost(handler, [&] { meters_[i].measure(handler); });
  }
}

void RecordingGuard::measured(std::size_t stream, const Result<bus::Unrecorded>& part) {
  if (part) context_->steadiness.answered(context_->clock.monotonic());
  double worst = 0;
  bool paused = false;
  Slots::Asks asks;
  {
    const MutexLock lock(slots_.mutex);
    // Without an answer, what was known last applies.
    if (part) unrecorded_[stream] = part->worst();
    if (--measuring_ > 0) return;
    worst = std::ranges::max(unrecorded_);
    paused = worst > (slots_.paused ? bus::kResumeBelow : bus::kPauseAbove);
    if (paused == slots_.paused) return;
    slots_.paused = paused;
    gauge_.set(paused ? 1 : 0);
    asks = slots_.next_asks(*context_);
  }
  if (paused) {
    spdlog::warn(
        "pool {}: {:.0f} % of what a stream may hold is not recorded by the collectors; no calls are pulled "
        "until it is below {:.0f} %: check that collectors and Postgres are running",
        context_->options.pool, worst * 100, bus::kResumeBelow * 100);
  } else {
    spdlog::info("pool {}: the collectors have caught up; calls are pulled again",
                 context_->options.pool);
  }
  changed_(asks);
}

}  // namespace toolway::workers::pool
