#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "persistence/store/store_reader.h"
#include "proto/toolway/v1/call.pb.h"

/// A call as clients see it, and what its events make of it. Pure.
namespace toolway::gateway::calls {

/// The call of a request that was just accepted, as if it had been recorded.
persistence::store::RecordedCall call_of(const v1::CallRequest& request);

/// The call of which this is the last event, as far as that says.
persistence::store::RecordedCall call_of(const v1::CallEvent& event);

/// Bytes of a whole result.
std::uint64_t result_bytes(const v1::Completed& completed);

/// Brings a call up to date with its last event on the bus.
void apply_event(persistence::store::RecordedCall& call, const v1::CallEvent& event);

/// How long a call waited, up to the start of its newest attempt or to its end without any, and how
/// long that attempt ran. Nothing: it still does, or never did.
struct CallTimes {
  std::optional<std::chrono::microseconds> waited;
  std::optional<std::chrono::microseconds> ran;
};
CallTimes call_times(const persistence::store::RecordedCall& call);

/// Whether a call is shown as `GET` shows it, or as the answer to Prefer: wait.
enum class CallForm { kGet, kWaited };
/// `version`: what the spec that admitted it says, if that is known here.
std::string call_json(const persistence::store::RecordedCall& call, CallForm form,
                      std::string_view version = {});

/// The answer to an accepted call.
std::string accepted_json(const v1::CallRequest& request);
/// With a message of the face that it came through.
std::string accepted_json(const v1::CallRequest& request, std::string_view message);

/// Its status then: awaiting_approval, streaming or queued.
std::string_view accepted_status(const v1::CallRequest& request);

}  // namespace toolway::gateway::calls
