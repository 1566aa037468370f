#include "tests/simulation/node_bus.h"

#include <algorithm>

#include "bus/jetstream_bus.h"
#include "bus/subject_filter.h"

namespace toolway::simulation {
namespace {

struct Listening final : bus::Subscription {
  explicit Listening(Network::EarPtr the_ear) : ear(std::move(the_ear)) {}
  Network::EarPtr ear;
};

/// The handler that `on_connection` keeps; silent once this is destroyed.
struct Watching final : bus::Subscription {
  std::shared_ptr<bool> live = std::make_shared<bool>(true);
  ~Watching() override { *live = false; }
};

class Pulling final : public bus::PullConsumer {
 public:
  Pulling(std::shared_ptr<PullClient> puller, std::function<void()> dispatch)
      : puller_(std::move(puller)), dispatch_(std::move(dispatch)) {}
  ~Pulling() override { puller_->client.reset(); }
  void allow(std::size_t count) override {
    if (stopped_) return;
    puller_->allowed += count;
    dispatch_();
  }
  std::size_t withdraw(std::size_t count) override {
    const std::size_t taken = std::min(count, puller_->allowed);
    puller_->allowed -= taken;
    return taken;
  }
  void stop() override {
    stopped_ = true;
    puller_->allowed = 0;
  }

 private:
  const std::shared_ptr<PullClient> puller_;
  const std::function<void()> dispatch_;
  bool stopped_ = false;
};

}  // namespace

template <typename T>
void NodeBus::exchange(std::string_view what, std::function<Result<T>()> ask,
                       std::function<void(Result<T>)> handler) {
  if (!process_->connected()) {
    process_->after(Micros(1),
                    [handler] { handler(fail(ErrorCode::kBusUnavailable, "not connected")); });
    return;
  }
  // Whichever comes first: the answer, or the end of patience.
  auto once = std::make_shared<bool>(false);
  process_->after(bus::kPublishTimeout, [once, handler] {
    if (std::exchange(*once, true)) return;
    handler(fail(ErrorCode::kTimeout, "no answer"));
  });
  Weather& weather = around_.weather;
  if (weather.strikes(Fault::kLostMessage, 15)) {
    around_.world.note("{}: {} is lost", process_->name(), what);
    return;
  }
  auto arrive = [around = around_, process = process_, once, handler, ask = std::move(ask),
                 connection = process_->connection(), name = std::string(what)] {
    // What a process sent before it died may still arrive, or not.
    if (!process->alive() && around.world.random().per_mille(500)) return;
    if (!process->connected() && around.world.random().per_mille(500)) return;
    Result<T> answer = ask();
    if (around.weather.strikes(Fault::kLostAnswer, 15)) {
      around.world.note("{}: the answer to {} is lost", process->name(), name);
      return;
    }
    process->after(around.weather.latency(),
                   [process, once, handler, connection, answer = std::move(answer)] {
                     if (connection != process->connection() || std::exchange(*once, true)) return;
                     handler(answer);
                   });
  };
  around_.world.after(weather.latency(), std::move(arrive));
}

void NodeBus::publish(bus::Publication publication, bus::PublishHandler handler) {
  auto store = [&server = around_.server, publication = std::move(publication)] {
    return server.store(publication);
  };
  exchange<bus::PubAck>("a publication", std::move(store), std::move(handler));
}

std::uint64_t NodeBus::seen_by_replica(const ServerStream& stream, bus::ReadFrom from) {
  if (from == bus::ReadFrom::kLeader) return stream.last();
  if (!around_.weather.strikes(Fault::kReplicaBehind, 200)) return stream.last();
  const std::uint64_t behind = around_.world.random().below(6);
  return stream.last() - std::min(stream.last(), behind);
}

void NodeBus::last_message(std::string_view stream, std::string subject, bus::ReadFrom from,
                           bus::MessageHandler handler) {
  auto read = [this, stream = std::string(stream), subject = std::move(subject),
               from]() -> Result<bus::StoredMessage> {
    const ServerStream* found = around_.server.stream(stream);
    if (found == nullptr) return fail(ErrorCode::kNotFound, "no such stream");
    const auto* last = found->last_of(subject, seen_by_replica(*found, from));
    if (last == nullptr) return fail(ErrorCode::kNotFound, "no message");
    return *last;
  };
  exchange<bus::StoredMessage>("a read", std::move(read), std::move(handler));
}

void NodeBus::next_message(std::string_view stream, std::string filter, std::uint64_t sequence,
                           bus::ReadFrom from, bus::MessageHandler handler) {
  auto read = [this, stream = std::string(stream), filter = std::move(filter), sequence,
               from]() -> Result<bus::StoredMessage> {
    const ServerStream* found = around_.server.stream(stream);
    if (found == nullptr) return fail(ErrorCode::kNotFound, "no such stream");
    const std::uint64_t seen = seen_by_replica(*found, from);
    for (std::uint64_t at = std::max(sequence, found->first); at <= seen; ++at) {
      if (bus::subject_matches(filter, found->at(at)->subject)) return *found->at(at);
    }
    return fail(ErrorCode::kNotFound, "no message");
  };
  exchange<bus::StoredMessage>("a read", std::move(read), std::move(handler));
}

void NodeBus::stream_state(std::string_view stream,
                           std::function<void(Result<bus::StreamState>)> handler) {
  auto read = [this, stream = std::string(stream)] { return around_.server.state(stream); };
  exchange<bus::StreamState>("a question", std::move(read), std::move(handler));
}

void NodeBus::consumer_state(bus::Durable durable,
                             std::function<void(Result<bus::ConsumerState>)> handler) {
  auto read = [this, durable = std::move(durable)] { return around_.server.consumer(durable); };
  exchange<bus::ConsumerState>("a question", std::move(read), std::move(handler));
}

void NodeBus::durables(std::string_view stream,
                       std::function<void(Result<std::vector<std::string>>)> handler) {
  auto read = [this, stream = std::string(stream)]() -> Result<std::vector<std::string>> {
    const ServerStream* found = around_.server.stream(stream);
    if (found == nullptr) return fail(ErrorCode::kNotFound, "no such stream");
    std::vector<std::string> names;
    for (const auto& [name, durable] : found->durables) names.push_back(name);
    return names;
  };
  exchange<std::vector<std::string>>("a question", std::move(read), std::move(handler));
}

std::unique_ptr<bus::PullConsumer> NodeBus::pull(bus::Durable durable,
                                                 bus::DeliveryHandler handler) {
  // The process, not this bus: what is in progress when it dies must find nothing gone.
  struct Late {
    std::weak_ptr<PullClient> puller;
    bus::DeliveryHandler handler;
  };
  auto late = std::make_shared<Late>(Late{{}, std::move(handler)});
  PullClient puller;
  puller.client = process_;
  puller.deliver = [this, durable, late](const bus::StoredMessage& message, std::uint64_t count) {
    const unsigned connection = process_->connection();
    auto arrive = [this, durable, late, message, count, connection] {
      const auto mine = late->puller.lock();
      if (!mine || mine->client.expired()) return;
      if (connection != process_->connection() ||
          around_.weather.strikes(Fault::kLostMessage, 15)) {
        ++mine->allowed;  // asked for again, once the client sees that nothing comes
        return around_.server.dispatch(durable.stream, durable.name);
      }
      bus::Delivery delivery(*this, reply_of(durable, message.sequence, count));
      delivery.subject = message.subject;
      delivery.payload = message.payload;
      delivery.sequence = message.sequence;
      delivery.delivery_count = count;
      delivery.stored_at = message.stored_at;
      around_.world.note("{}: gets {} {} (delivery {})", process_->name(), durable.name,
                         message.sequence, count);
      late->handler(std::move(delivery));
    };
    process_->after(around_.weather.latency(), std::move(arrive));
  };
  auto shared = around_.server.pull(durable, std::move(puller));
  late->puller = shared;
  return std::make_unique<Pulling>(shared, [this, durable] {
    around_.world.after(around_.weather.latency(), [&server = around_.server, durable] {
      server.dispatch(durable.stream, durable.name);
    });
  });
}

void NodeBus::settle(const std::string& reply, bus::Settlement settlement) {
  if (!process_->connected() || around_.weather.strikes(Fault::kLostSettle, 60)) return;
  around_.world.note("{}: settles {} with {}", process_->name(), reply,
                     settlement.kind == bus::SettleKind::kAck    ? "ack"
                     : settlement.kind == bus::SettleKind::kNak  ? "nak"
                     : settlement.kind == bus::SettleKind::kTerm ? "term"
                                                                 : "in progress");
  around_.world.after(around_.weather.latency(),
                      [around = around_, process = process_, reply, settlement] {
                        if (!process->alive() && around.world.random().per_mille(500)) return;
                        around.server.settle(reply, settlement);
                      });
}

Result<std::unique_ptr<bus::Subscription>> NodeBus::follow(std::string filter,
                                                           bus::LiveHandler handler) {
  if (!process_->connected()) return fail(ErrorCode::kBusUnavailable, "not connected");
  auto hear = [handler = std::move(handler)](const std::string& subject, const std::string& payload,
                                             const std::string&, std::uint64_t sequence) {
    handler({subject, payload, sequence});
  };
  return std::make_unique<Listening>(
      around_.network.listen({process_, std::move(filter), {}, std::move(hear)}));
}

Result<std::unique_ptr<bus::Subscription>> NodeBus::serve(std::string filter, std::string group,
                                                          bus::RequestHandler handler) {
  auto hear = [this, handler = std::move(handler)](const std::string& subject,
                                                   const std::string& payload,
                                                   const std::string& reply, std::uint64_t) {
    bus::Request request(*this, reply);
    request.subject = subject;
    request.payload = payload;
    handler(std::move(request));
  };
  return std::make_unique<Listening>(
      around_.network.listen({process_, std::move(filter), std::move(group), std::move(hear)}));
}

void NodeBus::say(std::string subject, std::string payload, std::string reply) {
  if (!process_->connected()) return;
  for (const auto& ear : around_.network.listeners(subject)) {
    if (around_.weather.strikes(Fault::kLostMessage, 30)) continue;
    const auto process = ear->process.lock();
    process->after(around_.weather.latency(), [weak = std::weak_ptr(ear), subject, payload, reply] {
      if (const auto still = weak.lock()) still->hear(subject, payload, reply, 0);
    });
  }
}

void NodeBus::tell(std::string subject, std::string payload) {
  say(std::move(subject), std::move(payload), {});
}

void NodeBus::request(std::string subject, std::string payload, bus::AnswerHandler handler) {
  const auto error = !process_->connected() ? ErrorCode::kBusUnavailable : ErrorCode::kNotFound;
  if (error == ErrorCode::kBusUnavailable || around_.network.listeners(subject).empty()) {
    process_->after(around_.weather.latency(),
                    [handler, error] { handler(fail(error, "no one answers")); });
    return;
  }
  const std::string inbox = fmt::format("_INBOX.{}.{}", process_->name(), ++inboxes_);
  auto once = std::make_shared<bool>(false);
  auto ear = std::make_shared<Network::EarPtr>();
  auto hear = [once, handler](const std::string&, const std::string& answer, const std::string&,
                              std::uint64_t) {
    if (std::exchange(*once, true)) return;
    handler(answer);
  };
  *ear = around_.network.listen({process_, inbox, {}, std::move(hear)});
  process_->after(kAnswerWithin, [once, handler, ear] {
    ear->reset();
    if (std::exchange(*once, true)) return;
    handler(fail(ErrorCode::kTimeout, "no answer"));
  });
  say(std::move(subject), std::move(payload), inbox);
}

bus::Connection NodeBus::connection() const {
  return process_->connected() ? bus::Connection::kConnected : bus::Connection::kDisconnected;
}

std::unique_ptr<bus::Subscription> NodeBus::on_connection(
    std::function<void(bus::Connection)> handler) {
  auto watching = std::make_unique<Watching>();
  process_->on_connection.push_back([live = watching->live, handler](bus::Connection state) {
    if (*live) handler(state);
  });
  return watching;
}

}  // namespace toolway::simulation
