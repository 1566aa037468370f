#include "cli/dev/activity.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/moment.h"
#include "cli/terminal/short_ids.h"
#include "cli/terminal/table.h"
#include "proto/codec.h"

namespace toolway::cli::dev {
namespace {

using terminal::Colour;

/// A stack that takes more calls than this shows the oldest of them as running.
constexpr std::size_t kMaxRunning = 10'000;

std::string tool_of(const v1::CallEvent& event) {
  return event.labels().namespace_() + "." + event.labels().tool();
}

std::string line_of(const v1::CallEvent& event, const terminal::Style& style) {
  const auto& completed = event.completed();
  const bool succeeded = completed.outcome() == v1::OUTCOME_SUCCEEDED;
  const auto began =
      completed.started_at_us() > 0 ? completed.started_at_us() : event.submitted_at_us();
  auto text =
      style(succeeded ? Colour::kGreen : Colour::kRed, proto::outcome_name(completed.outcome()));
  text += " in " + terminal::duration_text(std::chrono::microseconds(
                       std::max<std::int64_t>(0, event.time_us() - began)));
  if (!succeeded)
    text += fmt::format(": {}: {}", completed.error().code(),
                        terminal::shorten(completed.error().message(), 100));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(from_unix_us(event.time_us()));
  return fmt::format("{}  {} {}  {}", style(Colour::kDim, fmt::format("{:%H:%M:%S}", seconds)),
                     tool_of(event), text,
                     style(Colour::kDim, terminal::short_ids({event.call_id()}).front()));
}

}  // namespace

std::optional<std::string> Activity::take(const v1::CallEvent& event,
                                          const terminal::Style& style) {
  if (event.has_completed()) {
    running_.erase(event.call_id());
    return line_of(event, style);
  }
  if (event.has_started() && running_.size() < kMaxRunning)
    running_.insert_or_assign(event.call_id(),
                              Running{tool_of(event), from_unix_us(event.time_us())});
  return std::nullopt;
}

std::string Activity::running(WallTime now) const {
  if (running_.empty()) return {};
  const auto oldest = std::min_element(
      running_.begin(), running_.end(),
      [](const auto& a, const auto& b) { return a.second.since < b.second.since; });
  const auto text = fmt::format(
      "{}, {}", oldest->second.tool,
      terminal::duration_text(std::max(now - oldest->second.since, WallTime::duration(0))));
  return running_.size() == 1 ? fmt::format("1 call ({})", text)
                              : fmt::format("{} calls (the oldest: {})", running_.size(), text);
}

}  // namespace toolway::cli::dev
