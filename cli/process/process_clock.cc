#include "cli/process/process_clock.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <limits>

#include "base/ids.h"
#include "monitoring/metric_names.h"

namespace toolway::cli::process {
namespace {

constexpr std::chrono::seconds kFirstReadingTimeout{10};
constexpr std::chrono::milliseconds kRetryDelay{250};

}  // namespace

ProcessClock::ProcessClock(bus::Bus& bus, monitoring::Metrics& metrics, std::string_view role)
    : bus_(bus),
      offset_(metrics.gauge(monitoring::kClockOffset)),
      key_(fmt::format("{}.{}", role, random_hex(16))) {
  offset_.set(std::numeric_limits<double>::quiet_NaN());
}

Result<std::unique_ptr<ProcessClock>> ProcessClock::start(bus::Bus& bus,
                                                          monitoring::Metrics& metrics,
                                                          StopSignals& signals,
                                                          std::string_view role) {
  auto clock = std::unique_ptr<ProcessClock>(new ProcessClock(bus, metrics, role));
  const auto give_up = clock->system_.monotonic() + kFirstReadingTimeout;
  for (auto read = bus::read_server_time(bus, clock->server_, clock->key_); !read;
       read = bus::read_server_time(bus, clock->server_, clock->key_)) {
    if (clock->system_.monotonic() > give_up) {
      return fail(
          ErrorCode::kBusUnavailable,
          fmt::format(
              "NATS does not tell the time: {}; this needs the bucket {}, which `toolway migrate` makes, and on a NATS "
              "with passwords the right to write $KV.{}.{}.* (k8s/nats/authorization.conf)",
              read.error().message, bus::kClocksBucket, bus::kClocksBucket, role));
    }
    if (signals.wait(kRetryDelay))
      return fail(ErrorCode::kShuttingDown, "stopped while waiting for NATS");
  }
  clock->tell({});
  clock->readings_ = std::make_unique<bus::ServerTime>(
      bus, clock->server_, clock->key_,
      [raw = clock.get()](const Result<void>& read) { raw->tell(read); });
  return clock;
}

void ProcessClock::tell(const Result<void>& read) {
  if (!read) spdlog::debug("NATS' time could not be read: {}", read.error().message);
  // Also without an answer: the machine's clock may have been set since the last one.
  const auto ahead = server_.ahead();
  if (ahead) offset_.set(std::chrono::duration<double>(*ahead).count());
  const bool right = bus::clock_is_right(ahead);
  if (!right && was_right_) {
    spdlog::warn(
        "this machine's clock is {}: check that both are synchronized (chrony, timesyncd). Toolway goes by NATS' "
        "clock, so calls are not affected; this process does not reap until the two agree",
        in_words());
  }
  if (right && !was_right_) spdlog::info("this machine's clock agrees with NATS' again");
  was_right_ = right;
}

}  // namespace toolway::cli::process
