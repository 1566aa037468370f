#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <vector>

#include "bus/in_memory_bus.h"
#include "gateway/gateway.h"
#include "gateway/server/start_gateway.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/support/awaiting.h"
#include "tests/support/forwarding_bus.h"
#include "tests/support/in_memory_store.h"
#include "tests/support/sample_tools.h"

namespace toolway::test {

/// The completion of a call by its first attempt, which it also begins: succeeded, without a
/// result.
inline v1::CallEvent completion_of(const v1::CallRequest& call) {
  v1::CallEvent event;
  event.set_call_id(call.call_id());
  event.set_tenant_id(call.tenant_id());
  event.set_user_id(call.user_id());
  event.set_session_id(call.session_id());
  event.set_session_key(call.session_key());
  *event.mutable_labels() = call.labels();
  event.set_attempt(1);
  event.set_seq(2);
  event.set_time_us(1);
  event.mutable_completed()->set_merged_start(true);
  event.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  return event;
}

/// What a call's events are published under.
inline std::string event_subject_of(const v1::CallRequest& call) {
  return proto::event_subject(*SessionKey::parse(call.session_key()),
                              *CallId::parse(call.call_id()));
}

/// The first call that was accepted.
inline v1::CallRequest first_call(bus::Bus& bus) {
  Awaited<Result<bus::StoredMessage>> got;
  bus.next_message(proto::kCallsStream, "call.>", 1, bus::ReadFrom::kLeader, got.callback());
  const auto message = got.next();
  auto call = message && *message ? proto::decode_call((*message)->payload)
                                  : fail(ErrorCode::kNotFound, "no call was accepted");
  EXPECT_TRUE(call);
  return call ? *call : v1::CallRequest();
}

/// What the bus's collector durables deliver of CALLS and BLOBS, as Postgres would have it. Events
/// are never acknowledged by a collector here, so the stream alone is asked.
class MemoryStore : public InMemoryStore {
 public:
  template <typename T>
  using R = Result<T>;
  explicit MemoryStore(bus::Bus& bus) {
    calls_pull_ = bus.pull({"CALLS", "collector"}, [this](bus::Delivery delivery) {
      record_call(delivery.payload, {1, delivery.sequence});
      delivery.ack();
    });
    calls_pull_->allow(100'000);
    blobs_pull_ = bus.pull({"BLOBS", "collector"}, [this](bus::Delivery delivery) {
      record_chunk(delivery.payload);
      delivery.ack();
    });
    blobs_pull_->allow(100'000);
  }

 private:
  std::unique_ptr<bus::PullConsumer> calls_pull_;
  std::unique_ptr<bus::PullConsumer> blobs_pull_;
};

/// The in-memory bus, with live messages and PubAcks that can be lost on purpose.
class LossyBus final : public ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  std::atomic<bool> drop_live{false};
  std::atomic<bool> drop_acks{false};
  void tell_gap() {
    std::vector<std::function<void(bus::Connection)>> watchers;
    {
      const std::scoped_lock lock(mutex_);
      watchers = watchers_;
    }
    for (const auto& watcher : watchers) watcher(bus::Connection::kGap);
  }
  void publish(bus::Publication publication, bus::PublishHandler handler) override {
    if (!drop_acks || publication.subject.substr(0, 5) != "call.") {
      return inner().publish(std::move(publication), std::move(handler));
    }
    inner().publish(std::move(publication), [handler](const Result<bus::PubAck>&) {
      handler(fail(ErrorCode::kTimeout, "no answer"));
    });
  }
  Result<std::unique_ptr<bus::Subscription>> follow(std::string filter,
                                                    bus::LiveHandler handler) override {
    return inner().follow(std::move(filter),
                          [this, handler = std::move(handler)](const bus::LiveMessage& message) {
                            if (!drop_live) handler(message);
                          });
  }
  std::unique_ptr<bus::Subscription> on_connection(
      std::function<void(bus::Connection)> handler) override {
    const std::scoped_lock lock(mutex_);
    watchers_.push_back(handler);
    return inner().on_connection(std::move(handler));
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<void(bus::Connection)>> watchers_;
};

}  // namespace toolway::test
