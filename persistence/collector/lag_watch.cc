#include "persistence/collector/lag_watch.h"

#include <spdlog/spdlog.h>

#include "base/pause.h"
#include "bus/answer.h"
#include "monitoring/metric_names.h"

namespace toolway::persistence::collector {

LagWatch::LagWatch(bus::StreamReader& bus, monitoring::Metrics& metrics, const Clock& clock)
    : streams_([&] {
        const auto shown = [&](Source source) {
          return Shown{source,
                       metrics.gauge(monitoring::kCollectorLag, "stream", stream_of(source)),
                       metrics.gauge(monitoring::kCollectorLagTime, "stream", stream_of(source)),
                       bus::RecordingMeter(bus, clock, std::string(stream_of(source)))};
        };
        return std::array{shown(Source::kCalls), shown(Source::kEvents),
                          shown(Source::kBlobs), shown(Source::kSessions),
                          shown(Source::kAudit), shown(Source::kApiKeys)};
      }()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void LagWatch::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    for (Shown& stream : streams_) {
      if (stop.stop_requested()) return;
      measure(stream);
    }
    pause(kMeasureInterval, stop);
  }
}

void LagWatch::measure(Shown& stream) {
  const auto lag = bus::answer_of<bus::Unrecorded>(
      [&](auto handler) { stream.meter.measure(std::move(handler)); });
  if (!lag)
    return spdlog::debug("cannot tell how much of {} is not recorded: {}", stream_of(stream.source),
                         lag.error().message);
  stream.messages.set(static_cast<double>(lag->messages));
  stream.seconds.set(std::chrono::duration<double>(lag->oldest_age).count());
}

}  // namespace toolway::persistence::collector
