#include "gateway/server/request_metrics.h"

#include <algorithm>

#include "monitoring/metric_names.h"

namespace toolway::gateway::server {
namespace {

constexpr std::array<std::string_view, 5> kClassNames{"1xx", "2xx", "3xx", "4xx", "5xx"};
constexpr std::array<std::string_view, 3> kActionNames{"open", "close", "restore"};
constexpr std::array<std::string_view, 3> kResultNames{"ok", "refused", "failed"};

std::size_t class_of(unsigned status) { return std::clamp(status / 100, 1U, 5U) - 1; }

}  // namespace

RequestMetrics::RequestMetrics(monitoring::Metrics& metrics) : metrics_(metrics) {
  for (std::size_t i = 0; i < wire::kRoutes; ++i) {
    times_[i] = &metrics.histogram(monitoring::kHttpRequest, "route",
                                   wire::route_name(static_cast<wire::Route>(i)));
  }
  for (std::size_t action = 0; action < kActions; ++action) {
    for (std::size_t result = 0; result < kResults; ++result) {
      sessions_[action][result] =
          &metrics.counter(monitoring::kSessionRequests,
                           {{"action", kActionNames[action]}, {"result", kResultNames[result]}});
    }
  }
}

void RequestMetrics::answered(wire::Route route, unsigned status) {
  const std::size_t status_class = class_of(status);
  auto& counter = answers_[static_cast<std::size_t>(route)][status_class];
  if (counter == nullptr) {
    counter = &metrics_.counter(monitoring::kHttpRequests, {{"route", wire::route_name(route)},
                                                            {"status", kClassNames[status_class]}});
  }
  counter->add();
  if (route == wire::Route::kOpenSession) count_session(Action::kOpen, status);
  if (route == wire::Route::kCloseSession) count_session(Action::kClose, status);
  if (route == wire::Route::kRestoreSession) count_session(Action::kRestore, status);
}

void RequestMetrics::took(wire::Route route, std::chrono::nanoseconds time,
                          const TraceContext& trace) {
  times_[static_cast<std::size_t>(route)]->observe(time, trace);
}

void RequestMetrics::count_session(Action action, unsigned status) {
  const auto result = status >= 500   ? SessionResult::kFailed
                      : status >= 400 ? SessionResult::kRefused
                                      : SessionResult::kOk;
  sessions_[static_cast<std::size_t>(action)][static_cast<std::size_t>(result)]->add();
}

}  // namespace toolway::gateway::server
