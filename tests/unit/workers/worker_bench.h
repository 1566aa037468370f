#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <new>
#include <set>

#include "base/ids.h"
#include "bus/in_memory_bus.h"
#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "proto/toolway/v1/control.pb.h"
#include "tests/support/awaiting.h"
#include "tests/support/forwarding_bus.h"
#include "tests/support/test_clock.h"
#include "workers/pool/call_worker.h"

/// What the tests of the worker share: a clock of their own, a bus that fails
/// on request, tools made of lambdas.
namespace toolway::workers::test {

/// Passes all on to an in-memory bus, except the publications it was told to spoil.
class FaultyBus final : public toolway::test::ForwardingBus {
 public:
  enum class Fault { kLoseAck, kNotSent, kTooLarge, kNoMemory };
  using ForwardingBus::ForwardingBus;
  void spoil(std::vector<Fault> faults) {
    const std::scoped_lock lock(mutex_);
    faults_ = std::move(faults);
  }
  /// From now on EVENTS has forgotten everything before `begins`.
  void forget_events_before(WallTime begins) {
    const std::scoped_lock lock(mutex_);
    begins_ = begins;
  }
  void stream_state(std::string_view stream,
                    std::function<void(Result<bus::StreamState>)> handler) override {
    if (!begins(stream)) return inner().stream_state(stream, std::move(handler));
    handler(bus::StreamState{.first_sequence = 100, .last_sequence = 200, .messages = 101});
  }
  void next_message(std::string_view stream, std::string filter, std::uint64_t sequence,
                    bus::ReadFrom from, bus::MessageHandler handler) override {
    const auto begins = this->begins(stream);
    if (!begins)
      return inner().next_message(stream, std::move(filter), sequence, from, std::move(handler));
    handler(bus::StoredMessage{.sequence = sequence, .stored_at = *begins});
  }
  /// From now on EVENTS has no event of any call, as if all had left it.
  void lose_events(bool lost) { lost_ = lost; }
  void last_message(std::string_view stream, std::string subject, bus::ReadFrom from,
                    bus::MessageHandler handler) override {
    if (throws_.exchange(false)) throw std::bad_alloc();
    if (!lost_) return inner().last_message(stream, std::move(subject), from, std::move(handler));
    handler(fail(ErrorCode::kNotFound, "no message"));
  }
  void throw_at_next_read() { throws_ = true; }
  /// From now on that worker has no connection: who asks it is told so.
  void cut_off(const std::string& worker_id) {
    const std::scoped_lock lock(mutex_);
    cut_off_.insert(proto::control_subject(worker_id));
  }
  void request(std::string subject, std::string payload, bus::AnswerHandler handler) override {
    {
      const std::scoped_lock lock(mutex_);
      if (!cut_off_.contains(subject))
        return inner().request(std::move(subject), std::move(payload), std::move(handler));
    }
    handler(fail(ErrorCode::kNotFound, "no process answers on this subject"));
  }
  /// Gets a word for every publication that was spoiled.
  toolway::test::Awaited<int> spoiled;

  void publish(bus::Publication publication, bus::PublishHandler handler) override {
    std::optional<Fault> fault;
    {
      const std::scoped_lock lock(mutex_);
      if (!faults_.empty()) {
        fault = faults_.front();
        faults_.erase(faults_.begin());
      }
    }
    if (!fault) return inner().publish(std::move(publication), std::move(handler));
    if (*fault == Fault::kNoMemory) {
      spoiled.callback()(1);
      throw std::bad_alloc();
    }
    if (*fault == Fault::kTooLarge) {
      handler(fail(ErrorCode::kPayloadTooLarge, "too large"));
      return spoiled.callback()(1);
    }
    const bool sent = *fault == Fault::kLoseAck;
    if (!sent) publication.subject = "nobody.takes.this";
    inner().publish(std::move(publication), [sent, handler = std::move(handler),
                                             note = spoiled.callback()](Result<bus::PubAck>) {
      handler(fail(sent ? ErrorCode::kTimeout : ErrorCode::kBusUnavailable, "spoiled"));
      note(1);
    });
  }

 private:
  std::optional<WallTime> begins(std::string_view stream) {
    const std::scoped_lock lock(mutex_);
    return stream == proto::kEventsStream ? begins_ : std::nullopt;
  }

  std::mutex mutex_;
  std::atomic<bool> lost_{false};
  std::atomic<bool> throws_{false};
  std::optional<WallTime> begins_;
  std::vector<Fault> faults_;
  std::set<std::string> cut_off_;
};

using Body = std::function<tools::model::Execution(const Json&, tools::model::ToolContext&,
                                                   tools::model::Progress&)>;

struct LambdaTool final : tools::model::Tool {
  LambdaTool(tools::model::Spec the_spec, Body the_body)
      : spec_(std::move(the_spec)), body(std::move(the_body)) {}
  const tools::model::Spec& spec() const override { return spec_; }
  tools::model::Execution execute(const Json& arguments, tools::model::ToolContext& context,
                                  tools::model::Progress& progress) const override {
    return body(arguments, context, progress);
  }
  tools::model::Spec spec_;
  Body body;
};

struct Traits {
  bool idempotent = true;
  bool multi_step = false;
  tools::model::RetryPolicy retry{};
  bool asks_restart = false;
};

inline std::shared_ptr<const tools::model::Registry> registry_of(Traits traits, Body body) {
  tools::model::Spec spec;
  spec.name = "tool";
  spec.ns = "test";
  spec.description = "of a test";
  spec.input_schema = {{"type", "object"}};
  spec.idempotent = traits.idempotent;
  spec.multi_step = traits.multi_step;
  spec.retry = traits.retry;
  spec.asks_restart = traits.asks_restart;
  auto registry = std::make_shared<tools::model::Registry>();
  const auto added = registry->add(std::make_shared<LambdaTool>(std::move(spec), std::move(body)));
  EXPECT_TRUE(added) << added.error().message;
  return registry;
}

/// A signal that tools wait for and tests give, once. Copies are the same
/// signal: a tool that a worker has abandoned may outlive its test.
class Signal {
 public:
  void give() const {
    if (!state_->given.exchange(true)) state_->promise.set_value();
  }
  bool given() const { return state_->given; }
  bool wait() const {
    return state_->future.wait_for(toolway::test::kPatience) == std::future_status::ready;
  }

 private:
  struct State {
    std::atomic<bool> given{false};
    std::promise<void> promise;
    std::shared_future<void> future = promise.get_future().share();
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

inline Body returns(Json value) {
  return [value](const Json&, tools::model::ToolContext&,
                 tools::model::Progress&) -> tools::model::Execution { return value; };
}

inline tools::model::Execution failure(std::string code, bool retryable = true) {
  tools::model::ToolError error(std::move(code), "of a test");
  error.retryable = retryable;
  return tl::unexpected(std::move(error));
}

/// Says that it runs, and returns when it is asked to stop; `asked` is given by who asks.
inline Body obeys(const Signal& running, const Signal& asked = {}) {
  return [running, asked](const Json&, tools::model::ToolContext& context,
                          tools::model::Progress&) -> tools::model::Execution {
    const std::stop_callback on_stop(context.cancellation(), [&] { asked.give(); });
    running.give();
    EXPECT_TRUE(asked.wait());
    return Json("stopped");
  };
}

/// Says that it runs, waits for `go`, returns.
inline Body waits(const Signal& running, const Signal& go) {
  return [running, go](const Json&, tools::model::ToolContext&,
                       tools::model::Progress&) -> tools::model::Execution {
    running.give();
    EXPECT_TRUE(go.wait());
    return Json("waited");
  };
}

class WorkerBench : public ::testing::Test {
 protected:
  WorkerBench() {
    EXPECT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    // Streams were created before any call: their time is in whole milliseconds.
    clock_.advance(std::chrono::milliseconds(10));
    auto callback = events_.callback();
    auto followed = memory_->follow("live.>", [callback](const bus::LiveMessage& message) {
      callback(*proto::decode_event(message.payload));
    });
    follower_ = std::move(*followed);
  }

  std::unique_ptr<pool::CallWorker> worker(WorkerTools tools, WorkerOptions options = {}) {
    options.settle_after_gap = std::chrono::milliseconds(0);
    auto started = pool::CallWorker::start(bus_, *metrics_, std::move(tools), clock_,
                                           std::move(options), pool::TimePasses::kWhenTold);
    EXPECT_TRUE(started);
    return std::move(*started);
  }

  v1::CallRequest call(std::string tool = "tool", std::string ns = "test") {
    v1::CallRequest request;
    request.set_call_id(CallId::make(clock_.wall()).text());
    request.set_session_key(SessionKey::make().text());
    request.mutable_labels()->set_tool(std::move(tool));
    request.mutable_labels()->set_namespace_(std::move(ns));
    request.set_pool("native");
    request.set_arguments("{}");
    request.set_submitted_at_us(to_unix_us(clock_.wall()));
    return request;
  }
  void submit(const v1::CallRequest& request) {
    memory_->publish({.subject = proto::call_subject("native", proto::Lane::kNormal, 0,
                                                     *SessionKey::parse(request.session_key())),
                      .payload = proto::encode(request)},
                     [](Result<bus::PubAck> ack) { EXPECT_TRUE(ack); });
  }
  /// Asks a gateway's way: into the log, then to the worker. Returns what the worker answers.
  std::optional<v1::ControlAnswer> cancel(const v1::CallRequest& request,
                                          const std::string& worker_id) {
    v1::CallEvent event;
    const auto last = last_event(request);
    event.set_attempt(last ? last->second.attempt() : 0);
    event.mutable_cancel_requested();
    append(request, event);
    v1::ControlRequest control;
    control.set_call_id(request.call_id());
    toolway::test::Awaited<Result<std::string>> answer;
    memory_->request(proto::control_subject(worker_id), control.SerializeAsString(),
                     answer.callback());
    const auto text = answer.next();
    v1::ControlAnswer said;
    if (!text || !*text || !said.ParseFromString(**text)) return std::nullopt;
    return said;
  }
  /// Publishes an event of another writer after what is there.
  void append(const v1::CallRequest& request, v1::CallEvent event) {
    event.set_call_id(request.call_id());
    event.set_session_key(request.session_key());
    const auto last = last_event(request);
    event.set_seq(last ? last->second.seq() + 1 : 1);
    memory_->publish({.subject = subject(request),
                      .payload = proto::encode(event),
                      .expected_last = last ? last->first : 0},
                     [](Result<bus::PubAck> ack) { EXPECT_TRUE(ack); });
    memory_->quiesce();
  }
  std::optional<std::pair<std::uint64_t, v1::CallEvent>> last_event(
      const v1::CallRequest& request) {
    toolway::test::Awaited<Result<bus::StoredMessage>> answer;
    memory_->last_message(proto::kEventsStream, subject(request), bus::ReadFrom::kLeader,
                          answer.callback());
    auto message = answer.next();
    if (!message || !*message) return std::nullopt;
    return std::pair{(*message)->sequence, *proto::decode_event((*message)->payload)};
  }
  std::string subject(const v1::CallRequest& request) {
    return proto::event_subject(*SessionKey::parse(request.session_key()),
                                *CallId::parse(request.call_id()));
  }

  /// The next event of any call, as readers see it.
  v1::CallEvent event() {
    auto next = events_.next();
    EXPECT_TRUE(next) << "no event came";
    return next ? std::move(*next) : v1::CallEvent();
  }
  v1::CallEvent completed() {
    for (;;) {
      v1::CallEvent next = event();
      if (next.has_completed() || next.call_id().empty()) return next;
    }
  }
  void pass(pool::CallWorker& worker, std::chrono::microseconds time) {
    clock_.advance(time);
    worker.fire_due();
  }
  /// Everything that was delivered is acknowledged, and nothing waits.
  void expect_all_acked() {
    memory_->quiesce();
    toolway::test::Awaited<Result<bus::ConsumerState>> answer;
    memory_->consumer_state({"CALLS", "native-normal-0"}, answer.callback());
    const auto state = answer.next();
    ASSERT_TRUE(state && *state);
    EXPECT_EQ((*state)->ack_pending, 0u);
    EXPECT_EQ((*state)->pending, 0u);
  }
  std::size_t stored_events() {
    toolway::test::Awaited<Result<bus::StreamState>> answer;
    memory_->stream_state(proto::kEventsStream, answer.callback());
    return (*answer.next())->messages;
  }

  toolway::test::StoppedClock clock_;
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("worker");
  std::unique_ptr<bus::InMemoryBus> memory_ =
      bus::make_in_memory_bus({.ack_wait = std::chrono::hours(1)});
  FaultyBus bus_{*memory_};
  toolway::test::Awaited<v1::CallEvent> events_;
  std::unique_ptr<bus::Subscription> follower_;
};

}  // namespace toolway::workers::test
