#include "gateway/admission/bus_watch.h"

#include <algorithm>
#include <array>

#include "base/try.h"
#include "bus/is_answer.h"
#include "monitoring/metric_names.h"

namespace toolway::gateway::admission {
namespace {

constexpr std::array kWindows{proto::kCallsStream, proto::kEventsStream, proto::kBlobsStream,
                              proto::kAuditStream};
constexpr std::array kBuckets{proto::kSessionsStream, proto::kIdempotencyStream,
                              proto::kSpecsStream, proto::kToolsetsStream, proto::kSwitchesStream};

}  // namespace

BusWatch::BusWatch(loop::AsyncBus& bus, const Clock& clock, monitoring::Metrics& metrics,
                   GuardCaps caps, Fleet fleet, loop::Executor executor)
    : bus_(bus),
      clock_(clock),
      metrics_(metrics),
      caps_(caps),
      fleet_(fleet),
      executor_(executor),
      timer_(executor),
      in_use_(executor, [this] { return ask_in_use(); }),
      shares_waiting_(metrics.gauge(monitoring::kSharesWaiting)),
      queue_metrics_(metrics),
      normal_(
          metrics.counter(monitoring::kLaneCalls, "lane", proto::lane_name(proto::Lane::kNormal))),
      bulk_(metrics.counter(monitoring::kLaneCalls, "lane", proto::lane_name(proto::Lane::kBulk))) {
  for (const auto stream : kWindows)
    meters_.emplace_back(stream, bus_.recording_meter(stream, clock_));
}

loop::Task<void> BusWatch::run() {
  while (!stopped_) {
    auto facts = co_await ask();
    if (facts || bus::is_answer(facts.error().code))
      silence_.heard();
    else
      silence_.asked(asked_at_);
    if (facts) facts_ = std::move(*facts);
    slots_.clear();
    for (const auto& worker : fleet_.workers.list())
      slots_[worker->said.pool()] += worker->said.slots();
    show();
    if (stopped_) co_return;
    timer_.expires_after(kAskInterval);
    co_await loop::wait_on(timer_);
  }
}

void BusWatch::stop() {
  stopped_ = true;
  timer_.cancel();
}

BusHealth BusWatch::health() const {
  return {
      .connection = bus_.connected() ? bus::Connection::kConnected : bus::Connection::kDisconnected,
      .silent = silence_.length(clock_.monotonic()),
      .ever_heard = silence_.ever_heard()};
}

wire::HttpResult<QueuePlace> BusWatch::admit(const v1::CallRequest& request) const {
  if (auto error = refuse_call(facts_, caps_, request.pool(), health(), clock_.monotonic())) {
    return wire::refuse(std::move(*error));
  }
  const auto owner = wire::owner_name(request.tenant_id(), request.user_id());
  Shares::Elsewhere elsewhere;
  if (!fleet_.shares.empty())
    elsewhere = {.session = fleet_.shares.of(session_share(request.session_key())),
                 .user = fleet_.shares.of(user_share(owner))};
  const auto caps = caps_of(request.pool());
  const auto verdict = shares_.judge(caps, request.session_key(), owner, elsewhere);
  if (auto error = refuse_share(verdict, caps)) return wire::refuse(std::move(*error));
  const auto lane = verdict == Shares::Placement::kBulk ? proto::Lane::kBulk : proto::Lane::kNormal;
  return place_of(facts_, request.pool(), lane, *SessionKey::parse(request.session_key()));
}

QueuePlace BusWatch::place_again(const v1::CallRequest& request) const {
  return place_of(facts_, request.pool(), proto::Lane::kNormal,
                  *SessionKey::parse(request.session_key()));
}

ShareCaps BusWatch::caps_of(std::string_view pool) const {
  const auto slots = slots_.find(pool);
  return caps_of_pool(caps_.shares, slots == slots_.end() ? 0 : slots->second);
}

void BusWatch::accepted(const v1::CallRequest& request, QueuePlace place, std::uint64_t sequence,
                        WaitingPlacePtr counted) {
  (place.lane == proto::Lane::kNormal ? normal_ : bulk_).add();
  std::string durable = proto::call_durable(request.pool(), place.lane, place.partition);
  shares_.accepted(durable, sequence, request.session_key(),
                   wire::owner_name(request.tenant_id(), request.user_id()), std::move(counted));
  const auto many = std::min(kManyCalls, caps_of(request.pool()).session_bulk / 2);
  if (stopped_ || shares_.since_asked(durable) < many) return;
  MonotonicTime& asked = asked_[durable];
  const MonotonicTime now = clock_.monotonic();
  if (asked != MonotonicTime{} && now < asked + kRepeatDelay) return;
  asked = MonotonicTime::max() - kRepeatDelay;  // in progress
  asio::co_spawn(executor_, ask_again(std::move(durable)), asio::detached);
}

loop::Task<void> BusWatch::ask_again(std::string durable) {
  const auto state = co_await ask_queue(durable);
  asked_[durable] = clock_.monotonic();
  if (!state) co_return;
  for (auto& [pool, queues] : facts_.pools) {
    for (QueueFacts& queue : queues) {
      if (queue.durable != durable) continue;
      queue.state = *state;
      queue.oldest = oldest_.age(queue, clock_.wall());
    }
  }
  show();
}

loop::Task<Result<void>> BusWatch::ask_in_use() {
  for (const auto& durable : shares_.queues_in_use()) {
    const auto state = co_await ask_queue(durable);
    if (!state && state.error().code != ErrorCode::kNotFound) co_return fail(state.error());
  }
  co_return Result<void>();
}

loop::Task<Result<bus::ConsumerState>> BusWatch::ask_queue(std::string durable) {
  if (const auto settled = settled_.find(durable); settled && !shares_.in_use(durable))
    co_return *settled;
  const auto mark = shares_.mark(durable);
  auto state = co_await bus_.consumer_state(proto::kCallsStream, durable);
  if (state) {
    settled_.answered(durable, *state);
    shares_.delivered(durable, mark, state->delivered, state->pending);
  }
  co_return state;
}

loop::Task<Result<BusFacts>> BusWatch::ask() {
  BusFacts facts;
  facts.at = clock_.monotonic();
  asked_at_ = clock_.monotonic();
  CO_ASSIGN_OR_RETURN(const auto durables, co_await bus_.durables(proto::kCallsStream));
  asked_at_ = clock_.monotonic();
  // Once for all queues, whose own states are some milliseconds newer.
  CO_ASSIGN_OR_RETURN(const auto stream, co_await bus_.stream_state(proto::kCallsStream));
  settled_.look(stream);
  std::map<std::string, Sample> samples;
  for (const std::string& name : durables) {
    const auto of_pool = proto::parse_call_durable(name);
    if (!of_pool) continue;
    asked_at_ = clock_.monotonic();
    const auto state = co_await ask_queue(name);
    if (!state && state.error().code == ErrorCode::kNotFound) continue;  // just deleted
    CO_RETURN_IF_ERROR(state);
    QueueFacts queue{
        .durable = name, .lane = of_pool->lane, .partition = of_pool->partition, .state = *state};
    co_await ask_oldest(of_pool->pool, queue, stream);
    const MonotonicTime now = clock_.monotonic();
    if (const auto before = samples_.find(name); before != samples_.end()) {
      queue.drained =
          drain_rate(before->second.state, *state, stream.last_sequence, now - before->second.at);
    }
    samples[name] = {*state, now};
    facts.pools[of_pool->pool].push_back(std::move(queue));
  }
  CO_RETURN_IF_ERROR(co_await ask_streams(facts));
  co_await ask_buckets(facts);
  std::erase_if(asked_, [&samples](const auto& entry) { return !samples.contains(entry.first); });
  samples_ = std::move(samples);
  oldest_.keep(facts);
  co_return facts;
}

loop::Task<Result<void>> BusWatch::ask_streams(BusFacts& facts) {
  for (auto& [stream, meter] : meters_) {
    asked_at_ = clock_.monotonic();
    const auto unrecorded = co_await bus_.unrecorded(meter);
    if (unrecorded) {
      facts.unrecorded[std::string(stream)] = unrecorded->worst();
      facts.streams[std::string(stream)] = unrecorded->stream;
    } else if (unrecorded.error().code != ErrorCode::kNotFound) {
      co_return fail(unrecorded.error());
    }
  }
  co_return Result<void>();
}

loop::Task<void> BusWatch::ask_buckets(BusFacts& facts) {
  const bool due = *facts.at >= next_buckets_;
  if (due) next_buckets_ = *facts.at + kBucketInterval;
  for (const std::string_view bucket : kBuckets) {
    if (due) {
      const auto state = co_await bus_.stream_state(bucket);
      if (state) facts.streams[std::string(bucket)] = *state;
    } else if (const auto known = facts_.streams.find(bucket); known != facts_.streams.end()) {
      facts.streams.insert(*known);
    }
  }
}

/// An age informs, and decides nothing: without an answer the previous one is kept.
loop::Task<void> BusWatch::ask_oldest(const std::string& pool, QueueFacts& queue,
                                      bus::StreamState stream) {
  if (const auto from = oldest_.search_from(queue, stream, clock_.monotonic())) {
    const auto next = co_await bus_.next_message(
        proto::kCallsStream, proto::call_filter(pool, queue.lane, queue.partition), *from,
        bus::ReadFrom::kAnyReplica);
    if (next) oldest_.found(queue.durable, next->sequence, next->stored_at);
  }
  queue.oldest = oldest_.age(queue, clock_.wall());
}

void BusWatch::show() {
  queue_metrics_.show(facts_);
  bool behind = false;
  for (const auto& [stream, part] : facts_.unrecorded) {
    metrics_.gauge(monitoring::kUnrecorded, "stream", stream).set(part);
    behind = behind || part > caps_.unrecorded;
  }
  bool full = false;
  for (const auto& [pool, queues] : facts_.pools) {
    full = full || facts_.waiting_in(pool) >= caps_.pool_queue;
  }
  metrics_.gauge(monitoring::kRefusing, "reason", code_name(ErrorCode::kCollectorBehind))
      .set(behind);
  metrics_.gauge(monitoring::kRefusing, "reason", code_name(ErrorCode::kQueueFull)).set(full);
  metrics_.gauge(monitoring::kRefusing, "reason", code_name(ErrorCode::kBusUnavailable))
      .set(!health().answers());
  shares_waiting_.set(static_cast<double>(shares_.entries()));
}

}  // namespace toolway::gateway::admission
