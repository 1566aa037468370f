#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extensions/limit.h"
#include "gateway/admission/bus_facts.h"
#include "gateway/admission/worker_roster.h"
#include "persistence/store/store_reader.h"

/// Why a call waits, or what has happened to it: facts in, words out.
namespace toolway::gateway::calls {

/// Whether a part of the platform answered in time.
enum class Reach { kAnswers, kAway };

/// A limit of the policy that is about a call.
struct LimitFacts {
  extensions::Limit limit;
  std::string key;  ///< what it counts the call under
  /// Since when it refuses such calls at this gateway; nothing: it does not.
  std::optional<WallTime> refuses_since;
};

/// Everything an explanation is made of; what could not be read is missing.
struct CallFacts {
  std::string call_id;
  WallTime now{};
  Reach store = Reach::kAnswers;
  Reach bus = Reach::kAnswers;
  std::optional<persistence::store::RecordedCall> call;
  std::optional<v1::CallRequest> request;  ///< as it is on CALLS
  std::vector<v1::CallEvent> events;  ///< in order, without reports; the last one whatever it is
  bool session_closed = false;
  bool recorded = true;  ///< false: only the streams show the call

  std::string pool;                            ///< empty: not known
  std::optional<admission::QueueFacts> queue;  ///< where it is queued
  std::optional<std::uint64_t>
      position;  ///< about how many calls are ahead of it; 0: it was handed out
  std::uint64_t pool_waiting = 0;
  std::vector<admission::HeardWorker> workers;  ///< of its pool
  std::vector<LimitFacts> limits;               ///< of the policy, about it
  double unrecorded = 0;                        ///< of the worst stream
  double unrecorded_cap = 0.5;                  ///< above it calls are refused
};

struct Reason {
  std::string code;
  std::string message;
};

/// One attempt of the call, as far as its events tell.
struct Attempt {
  unsigned number = 0;
  std::string worker_id;
  std::int64_t started_at_us = 0;
  std::int64_t last_heard_us = 0;
  std::string ended;  ///< retry, an outcome, or broken_off; empty: not yet
  std::string error_code;
  std::string error;
};

struct Explanation {
  std::string_view state;  ///< one of call_state::kExplained
  std::string summary;
  std::vector<Reason> reasons;  ///< the one that matters most first
  std::vector<Attempt> attempts;
};

std::vector<Attempt> attempts_of(const std::vector<v1::CallEvent>& events);
Explanation explain(const CallFacts& facts);
std::string explanation_json(const CallFacts& facts, const Explanation& explanation);

/// About how many calls a durable hands out before the one at `sequence` of stream CALLS, by
/// how many of the stream's messages belong to it. 0: it was handed out.
std::uint64_t position_of(std::uint64_t sequence, const bus::ConsumerState& queue,
                          std::uint64_t stream_end);

}  // namespace toolway::gateway::calls
