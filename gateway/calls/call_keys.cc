#include "gateway/calls/call_keys.h"

#include "base/try.h"
#include "gateway/calls/lookup.h"
#include "gateway/loop/task_group.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {
namespace {

using v1::IdempotencyRecord;

std::chrono::milliseconds patience_of(const KeyContext& context) {
  return key_patience(context.accept_deadline);
}

loop::Task<wire::HttpResult<KeyEntry>> read_entry(loop::AsyncBus& bus, std::string bucket_key) {
  auto stored = co_await bus.get_key(std::move(bucket_key));
  auto entry = key_entry(std::move(stored));
  if (!entry) co_return wire::refuse(wire::bus_problem(std::move(entry.error())));
  co_return std::move(*entry);
}

/// The call that a record holds.
wire::HttpResult<PlannedCall> noted_call(const KeyContext& context,
                                         const IdempotencyRecord& record) {
  ASSIGN_OR_RETURN(auto request, proto::decode_call(record.call()));
  auto tool = context.registry.now()->find(request.labels().namespace_(), request.labels().tool());
  auto trace = CallTrace::of_noted(context.tracer, request);
  return PlannedCall{
      .request = std::move(request), .tool = std::move(tool), .trace = std::move(trace)};
}

/// What the record read last says about an entry.
void obey(const KeyContext& context, CallEntry& entry) {
  CallKey& key = *entry.key;
  const WallTime now = context.clock.wall();
  key.step = next_key_step(key.entry, key.payload_sha256, now, patience_of(context));
  switch (key.step) {
    case KeyStep::kClaim: return;
    case KeyStep::kReplay:
    case KeyStep::kPublishAgain: {
      auto noted = noted_call(context, *key.entry.record);
      if (noted && noted->request.session_key() != key.session_key) {
        key.step = KeyStep::kClaim;  // that session is deleted, and this one has its name
        return;
      }
      entry.plan = std::move(noted);
      if (!entry.plan) {
        entry.refused = entry.plan.error();
      } else if (key.step == KeyStep::kReplay) {
        entry.replayed = true;
        context.counters.replayed();
      } else {
        entry.plan->request = published_again(std::move(entry.plan->request));
      }
      return;
    }
    case KeyStep::kInFlight:
    case KeyStep::kReused:
    case KeyStep::kGivenUp:
      entry.refused = key_problem(key.step, key.entry, now, patience_of(context));
      return;
  }
}

loop::Task<void> look_up(const KeyContext& context, CallEntry& entry) {
  auto found = co_await read_entry(context.bus, entry.key->bucket_key);
  if (!found) {
    entry.refused = std::move(found.error());
    co_return;
  }
  entry.key->entry = std::move(*found);
  obey(context, entry);
}

tl::unexpected<wire::Problem> in_flight() {
  return wire::refuse(
      ErrorCode::kRequestInFlight,
      "other requests with this Idempotency-Key arrived at the same time: send it again");
}

}  // namespace

loop::Task<wire::HttpResult<void>> look_up_keys(const KeyContext& context,
                                                const wire::RoutedRequest& routed,
                                                const SessionKey& session,
                                                std::string payload_sha256,
                                                std::span<CallEntry> entries) {
  CO_ASSIGN_OR_RETURN(const auto key, parse_idempotency_key(routed.request.idempotency_key));
  if (!key) co_return wire::HttpResult<void>();
  loop::TaskGroup looks(co_await asio::this_coro::executor);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].refused) continue;
    entries[i].key = CallKey{.bucket_key = proto::idempotency_bucket_key(
                                 routed.caller.tenant_id, routed.caller.user_id, call_key(*key, i)),
                             .payload_sha256 = payload_sha256,
                             .session_key = session.text(),
                             .entry = {}};
    looks.start(look_up(context, entries[i]));
  }
  co_await looks.wait();
  co_return wire::HttpResult<void>();
}

loop::Task<wire::HttpResult<void>> claim(const KeyContext& context, CallEntry& entry) {
  CallKey& key = *entry.key;
  for (int tries = 1; tries <= kMaxKeyTries; ++tries) {
    if (entry.refused) {
      wire::Problem refused = std::move(*entry.refused);
      entry.refused.reset();
      co_return wire::refuse(std::move(refused));
    }
    if (entry.replayed) co_return wire::HttpResult<void>();
    const auto record = key_record(IdempotencyRecord::STATE_IN_FLIGHT, key.payload_sha256,
                                   entry.plan->request, context.clock.wall());
    if (key.step == KeyStep::kClaim) {
      if (auto full = context.shares.note(
              wire::owner_name(entry.plan->request.tenant_id(), entry.plan->request.user_id()),
              record.ByteSizeLong(), context.clock.monotonic())) {
        co_return wire::refuse(std::move(*full));
      }
    }
    auto revision = co_await context.bus.put_key(key.bucket_key, record.SerializeAsString(),
                                                 key.entry.revision);
    if (revision) {
      key.entry = {record, *revision};
      co_return wire::HttpResult<void>();
    }
    const auto delay = read_key_again(revision.error().code, tries);
    if (!delay) co_return wire::refuse(wire::bus_problem(std::move(revision.error())));
    co_await loop::pause(*delay);
    CO_ASSIGN_OR_RETURN(key.entry, co_await read_entry(context.bus, key.bucket_key));
    if (is_own_note(key.entry, record)) co_return wire::HttpResult<void>();
    obey(context, entry);
  }
  co_return in_flight();
}

loop::Task<wire::HttpResult<void>> give_up(const KeyContext& context, const std::string& owner,
                                           CallEntry& entry) {
  CallKey& key = *entry.key;
  const auto record = given_up_record(context.clock.wall());
  for (int tries = 1; tries <= kMaxKeyTries; ++tries) {
    if (key.step == KeyStep::kGivenUp) {
      entry.refused.reset();
      co_return wire::HttpResult<void>();
    }
    if (entry.refused) co_return wire::refuse(std::move(*entry.refused));
    if (key.step != KeyStep::kClaim) co_return wire::HttpResult<void>();
    if (auto full = context.shares.note(owner, record.ByteSizeLong(), context.clock.monotonic())) {
      co_return wire::refuse(std::move(*full));
    }
    auto revision = co_await context.bus.put_key(key.bucket_key, record.SerializeAsString(),
                                                 key.entry.revision);
    if (revision) {
      key.step = KeyStep::kGivenUp;
      continue;
    }
    const auto delay = read_key_again(revision.error().code, tries);
    if (!delay) co_return wire::refuse(wire::bus_problem(std::move(revision.error())));
    co_await loop::pause(*delay);
    CO_ASSIGN_OR_RETURN(key.entry, co_await read_entry(context.bus, key.bucket_key));
    obey(context, entry);
  }
  co_return in_flight();
}

loop::Task<Settled> settle(const KeyContext& context, CallEntry& entry) {
  if (entry.replayed || entry.key->step != KeyStep::kPublishAgain) co_return Settled::kPublish;
  const v1::CallRequest& call = entry.plan->request;
  const auto subject =
      proto::event_subject(*SessionKey::parse(call.session_key()), *CallId::parse(call.call_id()));
  const auto last =
      co_await context.bus.last_message(proto::kEventsStream, subject, bus::ReadFrom::kLeader);
  if (!last) {
    const auto recorded = co_await look_up_call(context.bus, call.call_id());
    const auto settled = settled_by(call, recorded);
    if (settled != Settled::kKnown) co_return settled;
  }
  entry.replayed = true;
  context.counters.replayed();
  co_await note(context, entry, wire::HttpResult<void>());
  co_return Settled::kKnown;
}

loop::Task<void> note(const KeyContext& context, CallEntry& entry,
                      const wire::HttpResult<void>& accepted) {
  const CallKey& key = *entry.key;
  const bool unknown = !accepted && accepted.error().error.code == ErrorCode::kAcceptUnknown;
  const auto state = key_state(key.step, accepted  ? Published::kAccepted
                                         : unknown ? Published::kUnknown
                                                   : Published::kRefused);
  if (!state) co_return;
  const auto record =
      key_record(*state, key.payload_sha256, entry.plan->request, context.clock.wall());
  // If not noted, the next request with this key settles it; the bus counts what it could not
  // store.
  (void)co_await context.bus.put_key(key.bucket_key, record.SerializeAsString(),
                                     key.entry.revision);
}

std::string replay_header(std::span<const CallEntry> entries) {
  for (const CallEntry& entry : entries) {
    if (entry.replayed) return "idempotent-replayed: true\r\n";
  }
  return {};
}

}  // namespace toolway::gateway::calls
