#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "gateway/calls/accepted_here.h"
#include "gateway/loop/async_bus.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/caller.h"
#include "persistence/store/store_reader.h"
#include "proto/toolway/v1/call.pb.h"

/// Calls that were accepted and are not in the store yet: the streams hold them.
namespace toolway::gateway::calls {

/// A call that a stream shows, recorded or not.
struct StreamedCall {
  persistence::store::RecordedCall call;
  /// Its request, without arguments; nothing when only one of its events was found.
  std::optional<v1::CallRequest> request;
  /// When CALLS stored it, by the server's clock; nothing when only one of its events was found.
  std::optional<WallTime> stored_at;
  std::uint64_t sequence = 0;  ///< in CALLS; 0: not known
};

/// Where a call that is not recorded is looked for.
struct StreamSearch {
  loop::AsyncBus& bus;
  const AcceptedHere& accepted_here;
  sessions::Sessions& sessions;
  const Clock& clock;
};

/// Looks for a call of this caller in what the collectors have not recorded: where this gateway
/// stored it, by its events, and among the calls of the sessions that the caller used last. Nothing
/// when it is not found before `give_up`, the bus does not answer, or its session is deleted.
loop::Task<std::optional<StreamedCall>> find_in_streams(const StreamSearch& search,
                                                        wire::Caller caller, CallId id,
                                                        MonotonicTime give_up);

/// The call as it was accepted, if this gateway did that less than `young` ago and it is this
/// caller's. Nothing: it is not known, or the bus does not answer.
loop::Task<std::optional<StreamedCall>> accepted_lately(const StreamSearch& search,
                                                        wire::Caller caller, CallId id,
                                                        std::chrono::milliseconds young);

/// The calls of a session that CALLS holds and that may not be recorded, oldest first, at most
/// 10,000.
struct UnrecordedCalls {
  std::vector<StreamedCall> calls;
  bool all = false;  ///< false: there may be more
};
loop::Task<UnrecordedCalls> unrecorded_calls(loop::AsyncBus& bus, const Clock& clock,
                                             SessionKey session, MonotonicTime give_up);

}  // namespace toolway::gateway::calls
