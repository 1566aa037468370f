#pragma once

#include <string>
#include <vector>

#include "tests/chaos/mcp_checker.h"
#include "tests/unit/chaos/runs.h"

namespace toolway::chaos {

/// A call that asks: started, two steps of progress with a log between them, a question and its
/// answer, completed.
inline std::vector<EventSeen> events_of_asking_call() {
  std::vector<EventSeen> events;
  for (const char* type : {"started", "progress", "log", "progress", "input_requested",
                           "input_provided", "completed"}) {
    EventSeen seen{.id = {1, 10 + 2 * events.size()}, .type = type, .call_id = "c1"};
    seen.seq = static_cast<unsigned>(events.size()) + 1;
    seen.attempt = 1;
    events.push_back(seen);
  }
  events[1].progress = 1;
  events[2].log = "l";
  events[3].progress = 2;
  events[4].keys = events[5].keys = {"q1"};
  events[6].outcome = "succeeded";
  return events;
}

inline Reading good_reading(std::size_t same = 7) {
  return {.outcome = "succeeded", .code = "", .text = "t", .same = same};
}

/// Its session, on one gateway.
inline SessionEnd asking_session() {
  SessionEnd end{.user = "u1", .session = "s1"};
  end.calls = {recorded("c1", "tok.u1.1.")};
  GatewayView view{.gateway = "g0", .page = events_of_asking_call()};
  view.calls["c1"] = {.call_id = "c1", .outcome = "succeeded", .reading = good_reading()};
  end.views.push_back(view);
  return end;
}

using Kind = RpcMessage::Kind;

inline RpcMessage progress(double value, std::uint64_t event) {
  return {.kind = Kind::kProgress,
          .at = EventId{1, event},
          .method = "notifications/progress",
          .progress_token = "\"p\"",
          .progress = value};
}
inline RpcMessage log_line(std::uint64_t event) {
  return {
      .kind = Kind::kLog, .at = EventId{1, event}, .method = "notifications/message", .text = "l"};
}
inline RpcMessage question(std::uint64_t event, const std::string& key = "q1") {
  return {.kind = Kind::kQuestion,
          .at = EventId{1, event},
          .id = "\"sealed\"",
          .method = "elicitation/create",
          .asks = {key},
          .call_id = "c1"};
}
inline RpcMessage answered(std::uint64_t event) {
  return {.kind = Kind::kAnswer,
          .at = EventId{1, event},
          .id = "7",
          .token = "tok.u1.1.",
          .call_id = "c1",
          .owners = "u1",
          .reading = good_reading()};
}

/// All that a client of a handshake revision sees of it that wants progress.
inline RpcStretch whole_stream() {
  RpcStretch stretch{.user = "u1",
                     .session = "s1",
                     .gateway = "g0",
                     .revision = "2025-11-25",
                     .method = "tools/call",
                     .stream = "7",
                     .request_id = "7",
                     .progress_token = "\"p\"",
                     .logs = true,
                     .token = "tok.u1.1.",
                     .call_id = "c1",
                     .at_us = 100,
                     .done_us = 200,
                     .status = 200};
  stretch.messages = {progress(1, 12), log_line(14), progress(2, 16), question(18), answered(22)};
  return stretch;
}

}  // namespace toolway::chaos
