#include "workers/call/held_call.h"

#include <spdlog/spdlog.h>

#include <functional>
#include <new>
#include <utility>

#include "base/ids.h"
#include "base/log.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "proto/toolway/v1/control.pb.h"
#include "tools/matching/arguments_digest.h"

namespace toolway::workers::call {
namespace {

std::string subject_of(const v1::CallRequest& request) {
  // Decoding has checked both.
  return proto::event_subject(*SessionKey::parse(request.session_key()),
                              *CallId::parse(request.call_id()));
}

/// Most calls belong to no trace, and pay nothing for it.
std::unique_ptr<CallSpans> spans_of(const WorkerContext& context, const v1::CallRequest& request,
                                    const bus::Delivery& delivery) {
  if (!request.has_trace()) return nullptr;
  return std::make_unique<CallSpans>(*context.options.tracer, request, delivery.delivery_count,
                                     context.clock.wall());
}

/// Of a call that must be approved: what its log must show; empty: any other call, or arguments
/// that cannot be read.
std::string digest_of(const v1::CallRequest& request) {
  if (!proto::must_be_approved(request)) return {};
  const auto arguments = parse_json(request.arguments());
  if (!arguments) return {};
  return proto::approval_digest(request, tools::matching::arguments_digest(*arguments));
}

void write(const AttemptRecord& record) {
  const bool warning = record.severity == AttemptRecord::Severity::kWarning;
  log_record(warning ? spdlog::level::warn : spdlog::level::info, record.event, record.fields);
}

DeliveryFacts facts_of(const bus::Delivery& delivery) {
  return {.sequence = delivery.sequence,
          .delivery_count = delivery.delivery_count,
          .stored_at = delivery.stored_at};
}

}  // namespace

HeldCall::HeldCall(std::shared_ptr<WorkerContext> context, ToolEntryPtr tool,
                   bus::Delivery&& delivery, v1::CallRequest request)
    : context_(std::move(context)),
      request_(std::move(request)),
      entry_(std::move(tool)),
      subject_(subject_of(request_)),
      spans_(spans_of(*context_, request_, delivery)),
      runner_({.context = context_, .entry = *entry_, .request = request_, .spans = spans_.get()},
              [this](const CallRunner::Decision& decision) { decide(std::cref(decision)); }),
      delivery_(std::move(delivery)),
      turn_({.request = request_,
             .options = context_->options,
             .spec = entry_->tool() != nullptr ? &entry_->tool()->spec() : nullptr,
             .why_not = entry_->tool() != nullptr ? nullptr : &entry_->why_not(),
             .delivery = facts_of(delivery_),
             .approval_digest = digest_of(request_),
             .attempt_span = spans_ ? &spans_->attempt() : nullptr,
             .completion_span = spans_ && spans_->recorded() ? &spans_->publication() : nullptr},
            {.now = context_->clock.monotonic(), .wall = context_->clock.wall()}) {}

template <typename Work>
bool HeldCall::or_release(Work work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc&) {
    forget();
    const threads::GateLock entered(context_->gate);
    if (entered && !released_.exchange(true)) context_->released(*this);
    spdlog::error("out of memory: call {} is released, and is delivered again", id());
    return false;
  }
}

template <typename Decision>
bool HeldCall::decide(Decision decision) {
  const threads::GateLock entered(context_->gate);
  return entered && decide_inside(std::move(decision));
}

template <typename Decision>
bool HeldCall::decide_inside(Decision decision) {
  return or_release([&] {
    Step step;
    CallSpans::Spans ended;
    std::optional<AttemptRecord> record;
    {
      const MutexLock lock(mutex_);
      step.now = context_->clock.monotonic();
      step.wall = context_->clock.wall();
      if (turn_.may_start()) look_whether_it_may_start(step);
      // What is not taken fills the queue, and then the tool waits.
      if (turn_.takes_reports()) turn_.reported(runner_.take_reports(), step);
      decision(turn_, step);
      settle_orders(step, ended);
      if (step.orders.attempt_ended) record = attempt_ended(step);
    }
    if (record) write(*record);
    act(step, ended);
  });
}

void HeldCall::begin() {
  decide_inside([](CallTurn& turn, Step& step) { turn.begin(step); });
}

bool HeldCall::redelivered(bus::Delivery& delivery) {
  const MutexLock lock(mutex_);
  if (!turn_.redelivered(facts_of(delivery), context_->clock.monotonic())) return false;
  delivery_ = std::move(delivery);
  return true;
}

std::optional<std::string_view> HeldCall::look() {
  std::optional<std::string_view> at;
  decide([&](CallTurn& turn, Step& step) { at = turn.look(step); });
  return at;
}

void HeldCall::give_back_unstarted() {
  decide([](CallTurn& turn, Step& step) { turn.give_back_unstarted(step); });
}

void HeldCall::stop_for_drain() {
  decide([](CallTurn& turn, Step& step) { turn.stop_for_drain(step); });
}

void HeldCall::give_back() {
  decide([](CallTurn& turn, Step& step) { turn.give_back(step); });
}

void HeldCall::forget() {
  {
    const MutexLock lock(mutex_);
    turn_.forget();
    runner_.abandon_upload();
    runner_.close_reports();
    over_ = true;
  }
  runner_.request_stop(AfterStop::kRunsAgain);
}

void HeldCall::on_time(MonotonicTime) {
  decide([this](CallTurn& turn, Step& step) REQUIRES(mutex_) { turn.time_passed(sight(), step); });
}

CallTurn::Sight HeldCall::sight() const {
  return {.connection = context_->bus.connection(), .progress = runner_.progress()};
}

void HeldCall::look_whether_it_may_start(Step& step) {
  step.refusal = switched_off(request_, *context_);
  if (step.refusal) return;
  auto policy = context_->policies->in_force();
  // The same policy would say the same, and be counted again.
  if (!look_ || look_->policy != policy)
    look_ = look_at_chain(request_, entry_->tool(), std::move(policy), *context_);
  step.refusal = look_->refusal;
  if (!step.refusal) step.permit = permit(look_->policy.get());
}

Permit HeldCall::permit(const extensions::chain::PolicyInForce* policy) {
  asked_.clear();
  if (let_in_ || entry_->tool() == nullptr) return Permit::kNotNeeded;
  if (permit_ == 0) asked_ = permits_for(request_, entry_->tool()->spec(), policy);
  if (asked_.empty())
    return context_->options.doorkeeper != nullptr ? Permit::kFree : Permit::kNotNeeded;
  return context_->permits.look(asked_) == permits::Permits::Room::kFree ? Permit::kFree
                                                                         : Permit::kFull;
}

void HeldCall::take_permit() {
  permits::Permits::Taking taking{.asked = {}, .call_id = id(), .lost = {}, .answered = {}};
  {
    const MutexLock lock(mutex_);
    taking.asked = asked_;
  }
  if (taking.asked.empty()) return ask_doorkeeper();
  taking.lost = [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    spdlog::warn(
        "call {}: its permit could not be renewed, so another call may run in its place; stopping "
        "its tool",
        self->id());
    self->decide([](CallTurn& turn, Step& step) { turn.permit_lost(step); });
  };
  taking.answered = [self = shared_from_this()](const permits::Permits::Answer& answer) {
    self->permit_answered(answer);
  };
  context_->permits.take(std::move(taking));
}

void HeldCall::permit_answered(const permits::Permits::Answer& answer) {
  using Taken = permits::Permits::Taken;
  bool open = false;
  if (answer.taken == Taken::kFailed) {
    const auto policy = context_->policies->in_force();
    const auto on_failure = policy ? extensions::on_failure_of(*policy->policy, "limits")
                                   : extensions::OnFailure::kClosed;
    open = on_failure == extensions::OnFailure::kOpen;
    context_->chain_metrics.failed(
        "limits", on_failure,
        "the bucket `permits` cannot be asked (run `toolway migrate` if it is not there): " +
            answer.why);
  }
  const bool may = answer.taken == Taken::kGranted || open;
  const bool asks = may && context_->options.doorkeeper != nullptr;
  decide([&](CallTurn& turn, Step& step) REQUIRES(mutex_) {
    if (answer.taken == Taken::kGranted) permit_ = answer.permit;
    if (!asks) turn.permit_said(may ? Permit::kNotNeeded : Permit::kFull, step);
  });
  if (asks) ask_doorkeeper();
}

void HeldCall::ask_doorkeeper() {
  const auto& doorkeeper = context_->options.doorkeeper;
  if (doorkeeper == nullptr) return door_answered(true);  // no limit is left
  Doorkeeper::Place place;
  {
    const MutexLock lock(mutex_);
    place = {.subject = delivery_.subject, .sequence = delivery_.sequence};
  }
  doorkeeper->ask(request_, std::move(place),
                  [self = shared_from_this()](bool may) { self->door_answered(may); });
}

void HeldCall::door_answered(bool may) {
  decide([&](CallTurn& turn, Step& step) REQUIRES(mutex_) {
    let_in_ = may;
    turn.permit_said(may ? Permit::kNotNeeded : Permit::kFull, step);
  });
}

void HeldCall::release_permit() {
  permits::PermitId permit = 0;
  {
    const MutexLock lock(mutex_);
    permit = std::exchange(permit_, 0);
  }
  context_->permits.release(permit);
}

HeldCall::~HeldCall() {
  const threads::GateLock entered(context_->gate);
  if (entered) release_permit();
}

void HeldCall::settle_orders(const Step& step, CallSpans::Spans& ended) {
  const Orders& orders = step.orders;
  // First what the turn relies on already.
  if (orders.abandon_thread) context_->executor->abandon();
  if (orders.settle) delivery_.settle(*orders.settle);
  if (orders.run) start_attempt(*orders.run, step);
  if (orders.answered) runner_.answered(turn_.questions());
  if (orders.begin_upload) runner_.begin_upload(turn_.attempt());
  if (orders.abandon_upload) runner_.abandon_upload();
  if (spans_) spans_->follow(orders, step.wall, ended);
  if (orders.released) runner_.close_reports();
  if (turn_.over()) over_ = true;
}

std::optional<AttemptRecord> HeldCall::attempt_ended(const Step& step) const {
  if (!logs_records()) return std::nullopt;
  const auto policy = context_->policies->in_force();
  return attempt_record(policy ? policy->policy->log : extensions::LogRules(), request_,
                        *step.orders.attempt_ended, turn_.attempt(),
                        began_ ? std::optional(step.now - *began_) : std::nullopt);
}

void HeldCall::start_attempt(unsigned number, const Step& step) {
  began_ = step.now;
  const tools::model::Spec& spec = entry_->tool()->spec();
  if (spans_) {
    spans_->attempt_began(
        {.number = number, .kind = spec.kind.name, .worker_id = context_->options.worker_id},
        step.wall);
  }
  std::function<void()> wake;
  if (spec.multi_step) {
    wake = [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self) self->decide([](CallTurn& turn, Step& now) { turn.reports_wait(now); });
    };
  }
  runner_.answered(turn_.questions());
  runner_.begin_attempt(number, look_.value_or(ChainLook{}), std::move(wake));
}

void HeldCall::act(Step& step, CallSpans::Spans& ended) {
  Orders& orders = step.orders;
  entry_->count(orders, step.wall - from_unix_us(proto::clocks_began_us(request_)),
                runner_.trace());
  for (const auto& line : orders.lines) {
    const bool warning = line.severity == LogLine::Severity::kWarning;
    spdlog::log(warning ? spdlog::level::warn : spdlog::level::err, "{}", line.text);
  }
  if (orders.stop_tool) runner_.request_stop(*orders.stop_tool);
  if (over()) release_permit();
  for (auto& span : ended) context_->options.tracer->end(std::move(span));
  ask(orders);
  if (orders.take_permit) take_permit();
  // Before it can run: its limits rely on this look.
  if (orders.wake_at) context_->timer.schedule(*orders.wake_at, shared_from_this());
  if (orders.submit) context_->executor->submit(shared_from_this());
  if (orders.released && !released_.exchange(true)) context_->released(*this);
  if (orders.hanging != 0) context_->hanging(orders.hanging);
}

template <auto kInput, typename Answer>
auto HeldCall::answer_to() {
  return [self = shared_from_this()](Answer answer) {
    self->decide(
        [&](CallTurn& turn, Step& step) { (turn.*kInput)(std::forward<Answer>(answer), step); });
  };
}

void HeldCall::ask(Orders& orders) {
  auto& bus = context_->bus;
  if (orders.publish) {
    bus::Publication publication{.subject = subject_,
                                 .payload = std::move(orders.publish->payload),
                                 .expected_last = orders.publish->expected_last};
    bus.publish(std::move(publication), answer_to<&CallTurn::published, Result<bus::PubAck>>());
  }
  if (orders.read) {
    bus.last_message(proto::kEventsStream, subject_, bus::ReadFrom::kLeader,
                     answer_to<&CallTurn::last_read, Result<bus::StoredMessage>>());
  }
  if (orders.ask_window) {
    context_->window->ask(answer_to<&CallTurn::window, const Result<EventsHeld>&>());
  }
  if (orders.look_up) {
    bus.request(std::string(proto::kLookupSubject), proto::lookup_question(id()),
                answer_to<&CallTurn::looked_up, Result<std::string>>());
  }
  if (!orders.ask_worker.empty()) {
    v1::ControlRequest question;
    question.set_call_id(id());
    auto said = [self = shared_from_this()](Result<std::string> answer) {
      self->decide([&](CallTurn& turn, Step& step) {
        turn.peer_said(answer, self->context_->steadiness.steady_for(step.now), step);
      });
    };
    bus.request(proto::control_subject(orders.ask_worker), question.SerializeAsString(),
                std::move(said));
  }
}

void HeldCall::run() {
  MonotonicTime began;
  {
    const threads::GateLock entered(context_->gate);
    if (!entered) return;
    bool runs = false;
    decide_inside([&](CallTurn& turn, Step& step) {
      turn.thread_came(step);
      runs = step.orders.run.has_value();
    });
    if (!runs || over()) return;
    began = context_->clock.monotonic();
  }
  // Outside the gate: a tool that never returns must not keep the worker from closing it.
  v1::Completed completed;
  or_release([&] { completed = runner_.run(); });
  finish(std::move(completed), began);
}

void HeldCall::finish(v1::Completed completed, MonotonicTime began) {
  bool abandoned = false;
  const bool told = decide([&](CallTurn& turn, Step& step) {
    entry_->ran(step.now - began, runner_.trace());
    turn.tool_ended(std::move(completed), runner_.ended_by_signal(), step);
    abandoned = turn.thread_abandoned();
  });
  if (told) release_permit();
  if (!told) {
    const MutexLock lock(mutex_);
    abandoned = turn_.thread_abandoned();
  }
  if (abandoned) context_->executor->abandoned_returned();
}

}  // namespace toolway::workers::call
