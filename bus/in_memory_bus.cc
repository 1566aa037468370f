#include "bus/in_memory_bus.h"

#include <fmt/format.h>

#include <deque>
#include <list>
#include <thread>

#include "base/contained.h"
#include "base/mutex.h"
#include "bus/in_memory_clients.h"
#include "bus/in_memory_core.h"
#include "bus/in_memory_pulls.h"
#include "bus/in_memory_streams.h"
#include "bus/subject_filter.h"

namespace toolway::bus {
namespace {

/// Everything below `mutex_` is guarded by it; handlers run on `thread_`, without it.
class InMemoryBusImpl final : public InMemoryBus {
 public:
  explicit InMemoryBusImpl(InMemoryOptions options)
      : options_(options), thread_([this] { run(); }) {}

  ~InMemoryBusImpl() override {
    {
      const MutexLock lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void publish(Publication publication, PublishHandler handler) override {
    const MutexLock lock(mutex_);
    Result<PubAck> ack = store(publication);
    post([handler = std::move(handler), ack = std::move(ack)] { handler(ack); });
  }

  void last_message(std::string_view stream, std::string subject, ReadFrom,
                    MessageHandler handler) override {
    const MutexLock lock(mutex_);
    answer(stream, std::move(handler),
           [&](const InMemoryStream& found) { return found.last(subject); });
  }

  void next_message(std::string_view stream, std::string filter, std::uint64_t sequence, ReadFrom,
                    MessageHandler handler) override {
    const MutexLock lock(mutex_);
    answer(stream, std::move(handler),
           [&](const InMemoryStream& found) { return found.next(filter, sequence); });
  }

  void stream_state(std::string_view stream,
                    std::function<void(Result<StreamState>)> handler) override {
    const MutexLock lock(mutex_);
    Result<StreamState> state =
        find_stream(stream).map([](const InMemoryStream* found) { return found->state(); });
    post([handler = std::move(handler), state = std::move(state)] { handler(state); });
  }

  void consumer_state(Durable durable,
                      std::function<void(Result<ConsumerState>)> handler) override {
    const MutexLock lock(mutex_);
    Result<ConsumerState> state =
        find_durable(durable).map([](const InMemoryDurable* found) { return found->state(); });
    if (state) state->waiting = pulls_.waiting(durable.name);
    post([handler = std::move(handler), state = std::move(state)] { handler(state); });
  }

  void durables(std::string_view stream,
                std::function<void(Result<std::vector<std::string>>)> handler) override {
    const MutexLock lock(mutex_);
    Result<std::vector<std::string>> names =
        find_stream(stream).map([](InMemoryStream* found) { return found->durable_names(); });
    post([handler = std::move(handler), names = std::move(names)] { handler(names); });
  }

  void tell(std::string subject, std::string payload) override {
    const MutexLock lock(mutex_);
    if (connected_) core_.tell(*this, subject, payload);
  }

  void request(std::string subject, std::string payload, AnswerHandler handler) override {
    const MutexLock lock(mutex_);
    if (connected_)
      return core_.request(*this, subject, payload, std::move(handler), clock_.monotonic());
    post([handler = std::move(handler)] {
      handler(fail(ErrorCode::kBusUnavailable, "not connected"));
    });
  }

  Result<std::unique_ptr<Subscription>> serve(std::string filter, std::string group,
                                              RequestHandler handler) override;

  std::unique_ptr<PullConsumer> pull(Durable durable, DeliveryHandler handler) override;
  Result<std::unique_ptr<Subscription>> follow(std::string filter, LiveHandler handler) override;
  std::unique_ptr<Subscription> on_connection(std::function<void(Connection)> handler) override;

  void settle(const std::string& reply, Settlement settlement) override {
    const MutexLock lock(mutex_);
    if (!connected_) return;  // as over a broken connection: lost
    const auto first = reply.find(' ');
    const auto second = reply.find(' ', first + 1);
    const Durable durable{reply.substr(0, first), reply.substr(first + 1, second - first - 1)};
    const std::uint64_t sequence = std::stoull(reply.substr(second + 1));
    auto found = find_durable(durable);
    if (!found) return;
    (*found)->settle(sequence, settlement, clock_.monotonic(), options_.ack_wait);
    changed_.notify_all();
  }

  Result<void> provision(const Layout& layout) override {
    const MutexLock lock(mutex_);
    if (!connected_) return fail(ErrorCode::kBusUnavailable, "not connected");
    streams_.provision(layout, clock_.wall());
    changed_.notify_all();
    return {};
  }

  Connection connection() const override {
    const MutexLock lock(mutex_);
    return connected_ ? Connection::kConnected : Connection::kDisconnected;
  }

  void disconnect() override { set_connected(false); }
  void reconnect() override { set_connected(true); }

  void expire_deliveries() override {
    const MutexLock lock(mutex_);
    streams_.expire_deliveries();
    changed_.notify_all();
  }

  void quiesce() override {
    MutexLock lock(mutex_);
    idle_.wait(lock,
               [this]() REQUIRES(mutex_) { return tasks_.empty() && !running_ && !deliverable(); });
  }

 private:
  friend class InMemoryPullConsumer;

  void post(std::function<void()> task) REQUIRES(mutex_) {
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }

  Result<InMemoryStream*> find_stream(std::string_view name) REQUIRES(mutex_) {
    if (!connected_) return fail(ErrorCode::kBusUnavailable, "not connected");
    return streams_.find(name);
  }

  Result<InMemoryDurable*> find_durable(const Durable& durable) REQUIRES(mutex_) {
    if (!connected_) return fail(ErrorCode::kBusUnavailable, "not connected");
    return streams_.find(durable);
  }

  template <typename Find>
  void answer(std::string_view stream, MessageHandler handler, Find find) REQUIRES(mutex_) {
    Result<StoredMessage> message = fail(ErrorCode::kNotFound, "no message");
    if (auto found = find_stream(stream); !found) {
      message = fail(std::move(found.error()));
    } else if (const StoredMessage* stored = find(**found)) {
      message = *stored;
    }
    post([handler = std::move(handler), message = std::move(message)] { handler(message); });
  }

  Result<PubAck> store(const Publication& publication) REQUIRES(mutex_) {
    if (!connected_) return fail(ErrorCode::kBusUnavailable, "not connected");
    if (InMemoryStream* stream = streams_.taking(publication.subject)) {
      auto ack = stream->store(publication, clock_.wall());
      if (ack && !ack->duplicate) republish(*stream, publication, ack->sequence);
      return ack;
    }
    return fail(ErrorCode::kBusUnavailable, fmt::format("no stream takes {}", publication.subject));
  }

  void republish(const InMemoryStream& stream, const Publication& publication,
                 std::uint64_t sequence) REQUIRES(mutex_) {
    const StreamConfig& config = stream.config();
    if (config.republish_from.empty()) return;
    // Both are `<prefix>.>`: what matches the `>` stays.
    const std::string subject = config.republish_to.substr(0, config.republish_to.size() - 1) +
                                publication.subject.substr(config.republish_from.size() - 1);
    for (const auto& follower : followers_) {
      if (!subject_matches(follower->filter, subject)) continue;
      post([follower, subject, payload = publication.payload, sequence] {
        follower->gate.run([&] { follower->handler({subject, payload, sequence}); });
      });
    }
  }

  bool deliverable() REQUIRES(mutex_) { return connected_ && pulls_.ready(clock_.monotonic()); }

  void set_connected(bool connected) {
    const MutexLock lock(mutex_);
    if (connected_ == connected) return;
    connected_ = connected;
    const auto state = connected ? Connection::kConnected : Connection::kDisconnected;
    for (const auto& watcher : watchers_) {
      post([watcher, state] { watcher->gate.run([&] { watcher->handler(state); }); });
    }
    changed_.notify_all();
  }

  void run() {
    MutexLock lock(mutex_);
    for (;;) {
      std::function<void()> task;
      const MonotonicTime give_up = core_.give_up(clock_.monotonic());
      if (!tasks_.empty()) {
        task = std::move(tasks_.front());
        tasks_.pop_front();
      } else if (!ending_ && connected_) {
        task = pulls_.next(clock_.monotonic());
      }
      if (task) {
        running_ = true;
        lock.unlock();
        contained("a message of the bus", std::exchange(task, {}));
        lock.lock();
        running_ = false;
        continue;
      }
      idle_.notify_all();
      if (ending_) {
        if (!core_.shut_down()) return;
        continue;
      }
      const MonotonicTime soonest = std::min(streams_.next_change(), give_up);
      if (soonest == MonotonicTime::max()) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, std::max(soonest, clock_.monotonic() + kMinWait));
      }
    }
  }

  /// Something may be due that no puller may have: look again, but not in a busy loop.
  static constexpr std::chrono::milliseconds kMinWait{1};

  const InMemoryOptions options_;
  const SystemClock clock_;
  mutable Mutex mutex_;
  CondVar changed_;
  CondVar idle_;
  bool connected_ GUARDED_BY(mutex_) = true;
  bool ending_ GUARDED_BY(mutex_) = false;
  bool running_ GUARDED_BY(mutex_) = false;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  InMemoryStreams streams_ GUARDED_BY(mutex_);
  InMemoryPulls pulls_ GUARDED_BY(mutex_){*this, streams_, options_.ack_wait};
  std::list<std::shared_ptr<Follower>> followers_ GUARDED_BY(mutex_);
  std::list<std::shared_ptr<Watcher>> watchers_ GUARDED_BY(mutex_);
  InMemoryCore core_{[this](std::function<void()> task)
                         REQUIRES(mutex_) { post(std::move(task)); }};
  std::thread thread_;  // last: uses all of the above
};

class InMemoryPullConsumer final : public PullConsumer {
 public:
  InMemoryPullConsumer(InMemoryBusImpl& bus, std::shared_ptr<PullClient> puller)
      : bus_(bus), puller_(std::move(puller)) {}

  ~InMemoryPullConsumer() override {
    stop();
    {
      const MutexLock lock(bus_.mutex_);
      bus_.pulls_.remove(puller_);
    }
    puller_->gate.close();
  }

  void allow(std::size_t count) override {
    const MutexLock lock(bus_.mutex_);
    puller_->allowed += count;
    bus_.changed_.notify_all();
  }

  std::size_t withdraw(std::size_t count) override {
    const MutexLock lock(bus_.mutex_);
    const std::size_t taken = std::min(count, puller_->allowed);
    puller_->allowed -= taken;
    return taken;
  }

  void stop() override {
    const MutexLock lock(bus_.mutex_);
    puller_->stopped = true;
  }

 private:
  InMemoryBusImpl& bus_;
  std::shared_ptr<PullClient> puller_;
};

std::unique_ptr<PullConsumer> InMemoryBusImpl::pull(Durable durable, DeliveryHandler handler) {
  const MutexLock lock(mutex_);
  return std::make_unique<InMemoryPullConsumer>(*this,
                                                pulls_.add(std::move(durable), std::move(handler)));
}

Result<std::unique_ptr<Subscription>> InMemoryBusImpl::follow(std::string filter,
                                                              LiveHandler handler) {
  auto follower = std::make_shared<Follower>();
  follower->filter = std::move(filter);
  follower->handler = std::move(handler);
  const MutexLock lock(mutex_);
  followers_.push_back(follower);
  return std::make_unique<InMemorySubscription<Follower>>(follower, [this, follower] {
    const MutexLock inner(mutex_);
    followers_.remove(follower);
  });
}

Result<std::unique_ptr<Subscription>> InMemoryBusImpl::serve(std::string filter, std::string group,
                                                             RequestHandler handler) {
  const MutexLock lock(mutex_);
  auto server = core_.serve(std::move(filter), std::move(group), std::move(handler));
  return std::make_unique<InMemorySubscription<Server>>(server, [this, server] {
    const MutexLock inner(mutex_);
    core_.remove(server);
  });
}

std::unique_ptr<Subscription> InMemoryBusImpl::on_connection(
    std::function<void(Connection)> handler) {
  auto watcher = std::make_shared<Watcher>();
  watcher->handler = std::move(handler);
  const MutexLock lock(mutex_);
  watchers_.push_back(watcher);
  return std::make_unique<InMemorySubscription<Watcher>>(watcher, [this, watcher] {
    const MutexLock inner(mutex_);
    watchers_.remove(watcher);
  });
}

}  // namespace

std::unique_ptr<InMemoryBus> make_in_memory_bus(InMemoryOptions options) {
  return std::make_unique<InMemoryBusImpl>(options);
}

}  // namespace toolway::bus
