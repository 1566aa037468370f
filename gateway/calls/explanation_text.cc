#include "gateway/calls/explanation_text.h"

#include <fmt/format.h>

namespace toolway::gateway::calls {
namespace {

/// The code says no more than the outcome, and the message may begin with it.
std::string cancelled_text(const v1::CallError& error) {
  const auto& message = error.message();
  if (message.empty()) return "It was cancelled.";
  if (message.starts_with("it was cancelled")) return "I" + message.substr(1) + ".";
  return fmt::format("It was cancelled: {}.", message);
}

}  // namespace

std::string span_text(std::int64_t us) {
  const double s = static_cast<double>(us < 0 ? -us : us) / 1e6;
  if (s < 120) return fmt::format("{:.1f} s", s);
  if (s < 7200) return fmt::format("{:.0f} min", s / 60);
  return fmt::format("{:.1f} h", s / 3600);
}

std::string busy_text(const std::string& limit, std::uint64_t most, const std::string& since) {
  const bool one = most == 1;
  return fmt::format(
      "limit {} of the policy lets {} run at {}, and {} been running for {}: workers try again every 200 ms, and it "
      "runs when {} has ended.",
      limit, one ? "one such call" : fmt::format("{} such calls", most), one ? "a time" : "once",
      one ? "one has" : "as many have", since, one ? "that one" : "one of them");
}

std::string error_text(const v1::CallError& error) {
  return error.message().empty() ? error.code()
                                 : fmt::format("{}: {}", error.code(), error.message());
}

std::string outcome_text(const v1::Completed& completed) {
  const std::string error = error_text(completed.error());
  switch (completed.outcome()) {
    case v1::OUTCOME_SUCCEEDED: return "The tool returned a result.";
    case v1::OUTCOME_FAILED:
      return fmt::format("The tool, or what runs it, reported an error: {}.", error);
    case v1::OUTCOME_REJECTED: return fmt::format("It was not allowed to run: {}.", error);
    case v1::OUTCOME_CANCELLED: return cancelled_text(completed.error());
    case v1::OUTCOME_TIMED_OUT: return fmt::format("One of its limits expired: {}.", error);
    case v1::OUTCOME_UNKNOWN:
      return fmt::format(
          "An attempt broke off and the tool must not run twice, so it is not known "
          "whether it did its work: {}.",
          error);
    case v1::OUTCOME_LOST:
      return fmt::format("Its time ran out before any worker started it: {}.", error);
    case v1::OUTCOME_UNSPECIFIED:
    case v1::Outcome_INT_MIN_SENTINEL_DO_NOT_USE_:
    case v1::Outcome_INT_MAX_SENTINEL_DO_NOT_USE_: break;
  }
  return "It has ended.";
}

}  // namespace toolway::gateway::calls
