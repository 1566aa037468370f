#include "cli/client/call_lists.h"

#include <fmt/format.h>

#include <chrono>

#include "base/text.h"
#include "cli/client/reporting.h"
#include "cli/terminal/moment.h"

namespace toolway::cli::client {
namespace {

/// A duration of an answer, in milliseconds; empty when there is none.
std::string milliseconds_text(const OrderedJson& call, const char* field) {
  if (!call.contains(field) || !call[field].is_number()) return {};
  return terminal::duration_text(std::chrono::round<std::chrono::microseconds>(
      std::chrono::duration<double, std::milli>(call[field].get<double>())));
}

std::string progress_text(const OrderedJson& event, std::size_t reports) {
  const auto total = cell(event, "total");
  auto text = cell(event, "progress") + (total.empty() ? "" : "/" + total);
  if (const auto message = cell(event, "message"); !message.empty()) text += " " + message;
  return reports > 1 ? fmt::format("{} (the last of {} reports)", text, reports) : text;
}

std::string error_text(const OrderedJson& event) {
  const auto error = event.value("error", OrderedJson());
  return error.is_object() ? cell(error, "code") + ": " + cell(error, "message") : std::string();
}

/// What an event says besides its type.
std::string event_text(const OrderedJson& event, const OrderedJson& call) {
  const auto type = cell(event, "type");
  if (type == "started")
    return fmt::format("attempt {} by {}", cell(event, "attempt"), cell(event, "worker_id"));
  if (type == "approval_requested")
    return fmt::format("held by {} until {}", cell(event, "held_by"), cell(event, "expires_at"));
  if (type == "approval_decided") {
    const auto reason = cell(event, "reason");
    return fmt::format("{} by {} ({} of {}){}", cell(event, "decision"), cell(event, "by"),
                       cell(event, "approvals"), cell(event, "quorum"),
                       reason.empty() ? "" : ": " + reason);
  }
  if (type == "log") return cell(event, "level") + ": " + cell(event, "message");
  if (type == "retry_at")
    return fmt::format("attempt {} at {}; {}", event.value("attempt", 0) + 1, cell(event, "at"),
                       error_text(event));
  if (type == "input_requested" || type == "input_provided") return asked_text(event);
  if (type != "completed") return cell(event, "reason");
  auto text = cell(event, "outcome");
  if (const auto ran = milliseconds_text(call, "ran_ms"); !ran.empty())
    text += fmt::format(" after {}", ran);
  if (const auto error = error_text(event); !error.empty()) text += ", " + error;
  return text;
}

}  // namespace

std::string calls_target(const CallListOptions& options) {
  std::string target = "/v1/calls?";
  const auto add = [&target](std::string_view name, const std::string& value) {
    if (!value.empty()) target += fmt::format("{}={}&", name, percent_encoded(value));
  };
  add("session", options.session);
  add("tool", options.tool);
  add("namespace", options.namespace_);
  add("state", options.state);
  add("outcome", options.outcome);
  add("error_code", options.error_code);
  add("since", options.since);
  add("until", options.until);
  add("min_duration", options.min_duration);
  add("max_duration", options.max_duration);
  if (options.attempts > 0) add("attempts", fmt::format("{}", options.attempts));
  return target;
}

terminal::Table calls_table() {
  return {.columns = {{.heading = "CALL", .holds = terminal::Holds::kIds},
                      {.heading = "TOOL", .least = 16},
                      {.heading = "SESSION", .least = 8, .rank = 3},
                      {.heading = "STATE", .least = 9},
                      {.heading = "SUBMITTED", .rank = 2},
                      {.heading = "WAITED", .rank = 4, .align = terminal::Align::kRight},
                      {.heading = "RAN", .rank = 1, .align = terminal::Align::kRight},
                      {.heading = "ATTEMPTS", .rank = 5, .align = terminal::Align::kRight},
                      {.heading = "PARENT",
                       .rank = 2,
                       .holds = terminal::Holds::kIds,
                       .empty = terminal::Empty::kLeftOut},
                      {.heading = "RESULT", .least = 12, .rank = terminal::Column::kWideOnly}},
          .nothing = "no calls"};
}

terminal::Table::Row call_row(const OrderedJson& call, const terminal::View& view) {
  return {.cells = {cell(call, "call_id"), cell(call, "namespace") + "." + cell(call, "tool"),
                    cell(call, "session_id"), state_cell(call),
                    terminal::moment_text(cell(call, "submitted_at"), view),
                    milliseconds_text(call, "waited_ms"), milliseconds_text(call, "ran_ms"),
                    cell(call, "attempt"), cell(call, "parent_call_id"), result_text(call)}};
}

bool is_log_of(const OrderedJson& event, std::string_view tool) {
  if (cell(event, "type") != "log") return false;
  const auto name = cell(event, "tool");
  return tool.empty() || tool == name || tool == cell(event, "namespace") + "." + name;
}

LogLine log_line(const OrderedJson& event) {
  const auto level = cell(event, "level");
  return {.text = fmt::format("{} {}.{} {}: {}", clock_time(cell(event, "time")),
                              cell(event, "namespace"), cell(event, "tool"), level,
                              cell(event, "message")),
          .urgent = level == "error"};
}

std::string face_text(const std::string& face) {
  if (face.starts_with("mcp/")) return ", over MCP " + face.substr(4);
  if (face == "model") return ", by a model's message";
  if (face == "chat") return ", by the chat engine";
  return face.empty() ? "" : ", over " + face;
}

std::vector<HistoryLine> history_of(const OrderedJson& call, const OrderedJson& events) {
  const auto submitted = terminal::parse_moment(cell(call, "submitted_at")).value_or(WallTime{});
  std::vector<HistoryLine> lines{
      {.event = "submitted",
       .text = "to session " + cell(call, "session_id") + face_text(cell(call, "face"))}};
  std::size_t reports = 0;
  for (const auto& event : events) {
    const auto type = cell(event, "type");
    const auto time = terminal::parse_moment(cell(event, "time")).value_or(submitted);
    reports = type == "progress" ? reports + 1 : 0;
    HistoryLine line{.at = time - submitted,
                     .event = type,
                     .text = reports > 0 ? progress_text(event, reports) : event_text(event, call)};
    // A quick call's start is in its completion.
    if (type == "completed" && lines.size() == 1)
      if (const auto started = terminal::parse_moment(cell(event, "started_at")))
        lines.push_back({*started - submitted, "started",
                         event_text({{"type", "started"},
                                     {"attempt", event["attempt"]},
                                     {"worker_id", event["worker_id"]}},
                                    call)});
    if (reports > 1) {
      lines.back() = std::move(line);
    } else {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

OrderedJson events_from_acceptance(const OrderedJson& call, const OrderedJson& events) {
  OrderedJson all = OrderedJson::array();
  all.push_back({{"type", "accepted"},
                 {"time", cell(call, "submitted_at")},
                 {"call_id", cell(call, "call_id")}});
  for (const auto& event : events) all.push_back(event);
  return all;
}

}  // namespace toolway::cli::client
