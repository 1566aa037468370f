#pragma once

#include <chrono>
#include <span>
#include <string>

#include "base/clock.h"
#include "gateway/calls/call_counters.h"
#include "gateway/calls/call_entry.h"
#include "gateway/calls/key_shares.h"
#include "gateway/loop/async_bus.h"
#include "gateway/wire/routed_request.h"
#include "monitoring/tracer.h"
#include "tools/model/live_registry.h"

/// The idempotency keys of a request's calls, on the bus. A request without an
/// Idempotency-Key costs nothing here.
namespace toolway::gateway::calls {

/// What the keys of calls need.
struct KeyContext {
  loop::AsyncBus& bus;
  const tools::model::LiveRegistry& registry;
  KeyShares& shares;
  CallCounters& counters;
  monitoring::Tracer& tracer;
  const Clock& clock;
  std::chrono::milliseconds accept_deadline{};  ///< for a PubAck
};

/// Reads the records of all entries at once, before anything is planned: a repeated request is
/// answered as before, whatever became of its tool. Those that a record decides are
/// `settled` afterwards; those that are refused already stay so, and nothing is read for them.
/// `payload_sha256`: of the whole request (`payload_digest`). A record of a deleted session, whose
/// name `session` has, counts as none. Errors: invalid_identifier, and the
/// bus's.
loop::Task<wire::HttpResult<void>> look_up_keys(const KeyContext& context,
                                                const wire::RoutedRequest& routed,
                                                const SessionKey& session,
                                                std::string payload_sha256,
                                                std::span<CallEntry> entries);

/// Notes a planned call under its key, before it is published. Afterwards the entry has the
/// call that belongs to the key, and says whether it is already published. Errors:
/// request_in_flight and idempotency_key_reused when another request was faster; too_many_calls;
/// the bus's.
loop::Task<wire::HttpResult<void>> claim(const KeyContext& context, CallEntry& entry);

/// Finds out whether a call that another request noted, and should have published, is already
/// known: then this one is a replay, and that is noted. Afterwards as after `claim`; but with
/// kNotSure it may not be published.
loop::Task<Settled> settle(const KeyContext& context, CallEntry& entry);

/// Gives up the key of an entry whose call was not made: no later request with it makes it. What a
/// request that was faster has made is found then. Errors: request_in_flight and
/// idempotency_key_reused; too_many_calls; the bus's.
loop::Task<wire::HttpResult<void>> give_up(const KeyContext& context, const std::string& owner,
                                           CallEntry& entry);

/// Notes how the publication of a claimed call went. Without an answer from the bus the note
/// stays, and the next request with the key settles it.
loop::Task<void> note(const KeyContext& context, CallEntry& entry,
                      const wire::HttpResult<void>& accepted);

/// `idempotent-replayed: true` when a call of the answer was accepted before.
std::string replay_header(std::span<const CallEntry> entries);

}  // namespace toolway::gateway::calls
