#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/wire/event_id.h"
#include "gateway/wire/json_text.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::wire {

/// An event as readers see it.
struct ShownEvent {
  EventId id;
  std::string_view type;
  std::string json;
};

/// What a message of stream EVENTS is shown as: nothing for a heartbeat, two
/// events for a completion that stands for its attempt's Started as well,
/// otherwise one.
std::vector<ShownEvent> show_event(const v1::CallEvent& event, EventPosition position);

/// `outcome`, `result`, `result_ref`, `content` and `error` as members of an object:
/// shared by the completed event and the call.
void write_completion(ObjectText& object, std::string& out, const v1::Completed& completed,
                      std::string_view call_id);

/// `held_by`, `roles`, `quorum` and `expires_at` of a call that waits for approval.
void write_hold(ObjectText& object, std::string& out, const v1::Hold& hold);

/// One event as text/event-stream has it.
void append_sse(std::string& out, const ShownEvent& event);

}  // namespace toolway::gateway::wire
