#pragma once

#include <string>
#include <vector>

#include "tests/chaos/checker.h"

namespace toolway::chaos {

/// A call of one user with all its events: started, two steps of progress, completed.
inline std::vector<EventSeen> events_of_one_call(const std::string& call = "c1",
                                                 std::uint64_t first = 10) {
  const auto event = [&](std::uint64_t place, const char* type) {
    EventSeen seen{.id = {1, first + 2 * place}, .type = type, .call_id = call};
    seen.attempt = 1;
    seen.seq = static_cast<unsigned>(place) + 1;
    seen.time_us = 1000 * static_cast<std::int64_t>(place + 1);
    seen.digest = first + place;
    seen.owners = "u1";
    return seen;
  };
  std::vector<EventSeen> events{event(0, "started"), event(1, "progress"), event(2, "progress"),
                                event(3, "completed")};
  events[1].steps = {1};
  events[2].steps = {2};
  events[3].outcome = "succeeded";
  events[3].total_steps = 2;
  return events;
}

/// A session with that one call, on two gateways that agree with Postgres.
inline SessionEnd quiet_session() {
  SessionEnd end{.user = "u1", .session = "s1"};
  end.calls = {{.call_id = "c1",
                .user = "u1",
                .session = "s1",
                .tool = "chaos.steps",
                .token = "tok.u1.1.",
                .outcome = "succeeded",
                .attempt = 1}};
  for (const char* gateway : {"g0", "g1"}) {
    GatewayView view{
        .gateway = gateway, .page = events_of_one_call(), .replay = events_of_one_call()};
    view.calls["c1"] = {.call_id = "c1", .outcome = "succeeded", .digest = 7};
    view.single["c1"] = view.calls["c1"];
    view.mailbox = {"c1"};
    view.mailbox_read = true;
    end.views.push_back(view);
  }
  for (const auto& event : events_of_one_call())
    end.events.push_back({1, event.id.number / 2, "c1", event.type, event.attempt, event.seq});
  return end;
}

inline Stretch followed(std::vector<EventSeen> events, const std::string& after = "0") {
  return {
      .user = "u1", .session = "s1", .gateway = "g0", .after = after, .events = std::move(events)};
}

inline Post request(const std::string& token, Fate fate, const std::string& call = {},
                    const std::string& key = {}) {
  return {.user = "u1",
          .session = "s1",
          .tool = "chaos.effect",
          .token = token,
          .key = key,
          .fate = fate,
          .call_id = call};
}

inline CallRow recorded(const std::string& call, const std::string& token,
                        const std::string& outcome = "succeeded",
                        const std::string& tool = "chaos.effect") {
  return {.call_id = call,
          .user = "u1",
          .session = "s1",
          .tool = tool,
          .token = token,
          .outcome = outcome,
          .attempt = 1};
}

}  // namespace toolway::chaos
