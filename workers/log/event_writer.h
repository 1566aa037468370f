#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/trace_context.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::workers::log {

/// What all events of one call written by one worker have in common. Views and
/// references into the held call, which outlives its log.
struct EventOrigin {
  const v1::CallRequest& request;
  std::string_view worker_id;
  std::uint64_t call_sequence = 0;  ///< of the message on CALLS
};

/// What differs from event to event.
struct EventPlace {
  std::uint32_t attempt = 0;
  std::uint32_t seq = 0;
  WallTime time{};
  std::uint32_t failures = 0;
  std::uint32_t parks = 0;
  std::string_view approved{};                ///< of a held call: what was approved
  std::span<const v1::Question> questions{};  ///< that the tool has asked so far
  const TraceContext* span = nullptr;  ///< where it comes from; null or of no trace: not mentioned
};

/// The bytes of one event. A body is borrowed while it is written, never copied.
std::string write_started(const EventOrigin& origin, EventPlace place, std::int64_t started_at_us);
std::string write_alive(const EventOrigin& origin, EventPlace place);
std::string write_progress(const EventOrigin& origin, EventPlace place, v1::Progress& body);
std::string write_log(const EventOrigin& origin, EventPlace place, v1::Log& body);
std::string write_retry_at(const EventOrigin& origin, EventPlace place, v1::RetryAt& body);
/// `asked`: those of the place's questions that are new.
std::string write_input_requested(const EventOrigin& origin, EventPlace place,
                                  std::span<const v1::Question> asked);
/// The attempt ends, and the call waits without a worker for answers to the questions `keys`.
std::string write_parked(const EventOrigin& origin, EventPlace place,
                         std::span<const std::string> keys);
std::string write_completed(const EventOrigin& origin, EventPlace place, v1::Completed& body);

}  // namespace toolway::workers::log
