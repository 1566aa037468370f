#pragma once

#include <map>
#include <mutex>

#include "bus/in_memory_bus.h"
#include "gateway/gateway.h"
#include "gateway/server/start_gateway.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/support/awaiting.h"
#include "tests/support/forwarding_bus.h"
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

/// Everything that the bus's collector durable delivers, as Postgres would have it.
class MemoryStore : public persistence::store::StoreReader {
 public:
  template <typename T>
  using R = Result<T>;
  explicit MemoryStore(bus::Bus& bus) {
    calls_pull_ = bus.pull({"CALLS", "collector"}, [this](bus::Delivery delivery) {
      const auto call = proto::decode_call(delivery.payload);
      {
        const std::scoped_lock lock(mutex_);
        if (call) calls_.push_back(*call);
      }
      delivery.ack();
    });
    calls_pull_->allow(100'000);
    blobs_pull_ = bus.pull({"BLOBS", "collector"}, [this](bus::Delivery delivery) {
      const auto chunk = proto::decode_blob_chunk(delivery.payload);
      {
        const std::scoped_lock lock(mutex_);
        if (chunk) chunks_[{chunk->call_id(), chunk->attempt()}][chunk->number()] = chunk->data();
      }
      delivery.ack();
    });
    blobs_pull_->allow(100'000);
  }
  void away(bool is_away) {
    const std::scoped_lock lock(mutex_);
    away_ = is_away;
  }
  R<std::optional<persistence::store::RecordedCall>> call(const CallId& id) override {
    const std::scoped_lock lock(mutex_);
    if (away_) return gone();
    for (const auto& request : calls_) {
      if (request.call_id() != id.text()) continue;
      persistence::store::RecordedCall call;
      call.call_id = request.call_id();
      call.tenant_id = request.tenant_id();
      call.user_id = request.user_id();
      call.session_key = request.session_key();
      call.session_id = request.session_id();
      call.labels = request.labels();
      call.arguments = request.arguments();
      return call;
    }
    return std::optional<persistence::store::RecordedCall>();
  }
  R<persistence::store::Page<persistence::store::RecordedCall>> calls_of_session(
      const SessionKey&, persistence::store::CallState, const std::optional<CallId>&,
      persistence::store::PageLimit) override {
    return persistence::store::Page<persistence::store::RecordedCall>();
  }
  R<persistence::store::Page<persistence::store::MailboxEntry>> mailbox(
      const SessionKey&, persistence::store::MailboxCursor,
      persistence::store::PageLimit) override {
    return persistence::store::Page<persistence::store::MailboxEntry>();
  }
  R<std::vector<persistence::store::ManifestCall>> manifest(const SessionKey&,
                                                            const std::optional<CallId>&,
                                                            std::size_t) override {
    return std::vector<persistence::store::ManifestCall>();
  }
  R<persistence::store::CallCounts> counts(const SessionKey&,
                                           persistence::store::MailboxCursor) override {
    return persistence::store::CallCounts{};
  }
  R<persistence::store::Page<persistence::store::RecordedSession>> sessions_of_user(
      std::string_view, std::string_view, std::optional<WallTime>,
      persistence::store::PageLimit) override {
    return persistence::store::Page<persistence::store::RecordedSession>();
  }
  R<std::optional<v1::SessionRecord>> session(std::string_view, std::string_view,
                                              std::string_view) override {
    const std::scoped_lock lock(mutex_);
    if (away_) return gone();
    return std::optional<v1::SessionRecord>();
  }
  // Events are never acknowledged by a collector here, so the stream alone is asked.
  R<persistence::store::Page<persistence::store::RecordedEvent>> events_of_session(
      const SessionKey&, persistence::store::EventPosition,
      persistence::store::PageLimit) override {
    const std::scoped_lock lock(mutex_);
    if (away_) return gone();
    return persistence::store::Page<persistence::store::RecordedEvent>();
  }
  R<persistence::store::Page<persistence::store::RecordedEvent>> events_of_call(
      const CallId&, persistence::store::EventPosition, persistence::store::PageLimit) override {
    return persistence::store::Page<persistence::store::RecordedEvent>();
  }
  R<std::vector<persistence::store::BlobPiece>> blob_chunks(const CallId& call, unsigned attempt,
                                                            unsigned first,
                                                            unsigned count) override {
    const std::scoped_lock lock(mutex_);
    if (away_) return gone();
    std::vector<persistence::store::BlobPiece> pieces;
    const auto& chunks = chunks_[{call.text(), attempt}];
    for (auto it = chunks.lower_bound(first); it != chunks.end() && pieces.size() < count; ++it) {
      pieces.push_back({it->first, it->second});
    }
    return pieces;
  }
  R<std::uint64_t> blob_chunks_recorded(const CallId& call, unsigned attempt) override {
    const std::scoped_lock lock(mutex_);
    if (away_) return gone();
    return chunks_[{call.text(), attempt}].size();
  }
  R<std::optional<persistence::store::AcceptedCall>> accepted(const CallId& id) override {
    const std::scoped_lock lock(mutex_);
    if (away_) return gone();
    for (const auto& request : calls_) {
      if (request.call_id() == id.text()) return persistence::store::AcceptedCall{request, {}};
    }
    return std::optional<persistence::store::AcceptedCall>();
  }
  R<void> ping() override { return {}; }

 private:
  static tl::unexpected<Error> gone() { return fail(ErrorCode::kStoreUnavailable, "away"); }
  std::mutex mutex_;
  bool away_ = false;
  std::vector<v1::CallRequest> calls_;
  std::map<std::pair<std::string, unsigned>, std::map<unsigned, std::string>> chunks_;
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
