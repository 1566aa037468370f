#include "bus/jetstream_bus.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>

#include "base/contained.h"
#include "base/mutex.h"
#include "base/try.h"
#include "bus/group_commit.h"
#include "bus/jetstream_api.h"
#include "bus/jetstream_provision.h"
#include "bus/jetstream_pull.h"
#include "bus/loop_thread.h"
#include "bus/lost_answer.h"
#include "bus/nats_connection.h"
#include "bus/publish_headers.h"
#include "bus/request_mux.h"
#include "bus/topology.h"
#include "proto/subjects.h"

namespace toolway::bus {
namespace {

std::uint64_t to_sequence(std::string_view text) {
  std::uint64_t sequence = 0;
  std::from_chars(text.data(), text.data() + text.size(), sequence);
  return sequence;
}

/// The answer to a direct get: the message itself, with headers that say how it was stored.
Result<StoredMessage> from_direct(Result<NatsMessage> answer) {
  RETURN_IF_ERROR(answer);
  const std::string_view status = answer->status();
  if (status == "404") return fail(ErrorCode::kNotFound, "no message");
  if (!status.empty()) {
    return fail(ErrorCode::kInternal, fmt::format("direct get answered {}", status));
  }
  return StoredMessage{
      .subject = std::string(answer->header("Nats-Subject")),
      .payload = std::string(answer->data()),
      .sequence = to_sequence(answer->header(proto::kSequenceHeader.data())),
      .stored_at = api::parse_time(answer->header("Nats-Time-Stamp")).value_or(WallTime{})};
}

/// Adapts a parser of JSON answers to the mux's handlers.
template <typename T>
RequestMux::Handler parsed(Result<T> (*parse)(std::string_view),
                           std::function<void(Result<T>)> handler) {
  return [parse, handler = std::move(handler)](Result<NatsMessage> answer) {
    if (!answer) return handler(fail(std::move(answer.error())));
    handler(read_or_lost([&] { return parse(answer->data()); }));
  };
}

class JetStreamPullConsumer;

class JetStreamBus final : public Bus {
 public:
  JetStreamBus(std::unique_ptr<LoopThread> own, LoopThread& turns,
               std::unique_ptr<NatsConnection> connection, std::unique_ptr<RequestMux> mux,
               const JetStreamOptions& options)
      : own_(std::move(own)),
        turns_(turns),
        on_published_(options.on_published),
        connection_(std::move(connection)),
        mux_(std::move(mux)) {
    if (options.group_commit) {
      groups_ = std::make_unique<GroupCommit>(
          *connection_, *mux_, options.max_in_flight,
          [this](Publication publication, PublishHandler handler) {
            publish_single(std::move(publication), std::move(handler));
          });
    }
    turns_.start();
    mux_->every_tick([this] {
      for_each_pull(&JetStreamPull::tick);
      if (groups_) groups_->tick();
    });
    changes_ = connection_->on_change([this](Connection state) {
      if (state != Connection::kConnected) return;
      for_each_pull(&JetStreamPull::reconnected);
      if (groups_) groups_->ask_again();
    });
    if (groups_) groups_->ask_again();
  }

  ~JetStreamBus() override {
    changes_.reset();
    if (groups_) groups_->close();
    mux_->close();  // before what its handlers and ticks use; they may ask again, so it is still
                    // there
    turns_.stop();
  }

  void publish(Publication publication, PublishHandler handler) override {
    const std::string_view stream = stream_of(publication.subject);
    if (on_published_) handler = watched(stream, std::move(handler));
    if (groups_ && groups_->takes(stream))
      return groups_->publish(stream, std::move(publication), std::move(handler));
    publish_single(std::move(publication), std::move(handler));
  }

  void last_message(std::string_view stream, std::string subject, ReadFrom from,
                    MessageHandler handler) override {
    get(stream, api::last_by_subject_request(subject), from, std::move(handler));
  }

  void next_message(std::string_view stream, std::string filter, std::uint64_t sequence,
                    ReadFrom from, MessageHandler handler) override {
    get(stream, api::next_by_subject_request(filter, std::max<std::uint64_t>(sequence, 1)), from,
        std::move(handler));
  }

  void stream_state(std::string_view stream,
                    std::function<void(Result<StreamState>)> handler) override {
    mux_->request(RequestMux::Class::kRead, fmt::format("$JS.API.STREAM.INFO.{}", stream), "", {},
                  parsed<StreamState>(&api::parse_stream_info, std::move(handler)));
  }

  void consumer_state(Durable durable,
                      std::function<void(Result<ConsumerState>)> handler) override {
    mux_->request(RequestMux::Class::kRead,
                  fmt::format("$JS.API.CONSUMER.INFO.{}.{}", durable.stream, durable.name), "", {},
                  parsed<ConsumerState>(&api::parse_consumer_info, std::move(handler)));
  }

  void durables(std::string_view stream,
                std::function<void(Result<std::vector<std::string>>)> handler) override {
    list_durables(std::string(stream), {}, std::move(handler));
  }

  void tell(std::string subject, std::string payload) override {
    const auto sent = connection_->publish(subject, "", payload, {});
    if (!sent) spdlog::debug("cannot send to {}: {}", subject, sent.error().message);
  }

  void request(std::string subject, std::string payload, AnswerHandler handler) override {
    mux_->request(RequestMux::Class::kQuestion, subject, payload, {},
                  [handler = std::move(handler)](Result<NatsMessage> answer) {
                    if (!answer) return handler(fail(std::move(answer.error())));
                    handler(read_or_lost([&] { return Result<std::string>(answer->data()); }));
                  });
  }

  Result<std::unique_ptr<Subscription>> serve(std::string filter, std::string group,
                                              RequestHandler handler) override {
    auto heard = [this, handler = std::move(handler)](NatsMessage message) {
      bus::Request request(*this, std::string(message.reply()));
      request.subject = message.subject();
      request.payload = message.data();
      handler(std::move(request));
    };
    return connection_->subscribe(filter, std::move(heard), group);
  }

  std::unique_ptr<PullConsumer> pull(Durable durable, DeliveryHandler handler) override;

  Result<std::unique_ptr<Subscription>> follow(std::string filter, LiveHandler handler) override {
    return connection_->subscribe(filter, [handler = std::move(handler)](NatsMessage message) {
      const std::string_view sequence = message.header(proto::kSequenceHeader.data());
      if (sequence.empty()) return;  // not the server's republication
      handler({message.subject(), message.data(), to_sequence(sequence)});
    });
  }

  void settle(const std::string& reply, Settlement settlement) override {
    const auto sent = connection_->publish(reply, "", api::settlement_text(settlement), {});
    // Like any ack lost on its way: the message comes again.
    if (!sent) spdlog::debug("a settlement was not sent: {}", sent.error().message);
  }

  void in_one_turn(std::function<void()> task) override {
    connection_->loop().post(std::move(task));
  }

  Result<void> provision(const Layout& layout) override {
    for (const StreamConfig& stream : topology(layout)) {
      const bool grouped = groups_ && GroupCommit::is_for(stream.name);
      const auto link = connection_->link();
      if (!link) return fail(ErrorCode::kBusUnavailable, "not connected to NATS");
      RETURN_IF_ERROR(provision_stream(link->raw(), stream,
                                       grouped ? Batches::kWhereSyncedOnce : Batches::kNone));
    }
    return {};
  }

  Connection connection() const override {
    return connection_->connected() ? Connection::kConnected : Connection::kDisconnected;
  }

  std::unique_ptr<Subscription> on_connection(std::function<void(Connection)> handler) override {
    return connection_->on_change(std::move(handler));
  }

  void remove(const std::shared_ptr<JetStreamPull>& pull) {
    const MutexLock lock(pulls_mutex_);
    std::erase(pulls_, pull);
  }

 private:
  void publish_single(Publication publication, PublishHandler handler) {
    mux_->request(RequestMux::Class::kPublish, publication.subject, publication.payload,
                  publish_headers(publication),
                  parsed<PubAck>(&api::parse_pub_ack, std::move(handler)));
  }

  PublishHandler watched(std::string_view stream, PublishHandler handler) {
    using std::chrono::steady_clock;
    return [this, stream, begun = steady_clock::now(),
            handler = std::move(handler)](Result<PubAck> ack) {
      contained("the note of a publication",
                [&] { on_published_(stream, steady_clock::now() - begun, ack); });
      handler(std::move(ack));
    };
  }

  void get(std::string_view stream, const std::string& request, ReadFrom from,
           MessageHandler handler) {
    if (from == ReadFrom::kLeader) {
      mux_->request(RequestMux::Class::kRead, fmt::format("$JS.API.STREAM.MSG.GET.{}", stream),
                    request, {},
                    parsed<StoredMessage>(&api::parse_stored_message, std::move(handler)));
      return;
    }
    mux_->request(RequestMux::Class::kRead, fmt::format("$JS.API.DIRECT.GET.{}", stream), request,
                  {}, [handler = std::move(handler)](Result<NatsMessage> answer) {
                    handler(read_or_lost([&] { return from_direct(std::move(answer)); }));
                  });
  }

  /// Page by page: the server limits how many it names at once.
  void list_durables(std::string stream, std::vector<std::string> so_far,
                     std::function<void(Result<std::vector<std::string>>)> handler) {
    const std::string subject = fmt::format("$JS.API.CONSUMER.NAMES.{}", stream);
    const std::string page = api::names_request(so_far.size());
    auto named = [this, stream = std::move(stream), so_far = std::move(so_far),
                  handler = std::move(handler)](Result<NatsMessage> answer) mutable {
      if (!answer) return handler(fail(std::move(answer.error())));
      auto more = read_or_lost([&]() -> Result<bool> {
        ASSIGN_OR_RETURN(auto names, api::parse_names(answer->data()));
        for (auto& name : names.names) so_far.push_back(std::move(name));
        if (names.names.empty() || so_far.size() >= names.total) return false;
        list_durables(stream, so_far, handler);
        return true;
      });
      if (!more) return handler(fail(std::move(more.error())));
      if (*more) return;
      std::sort(so_far.begin(), so_far.end());
      handler(std::move(so_far));
    };
    mux_->request(RequestMux::Class::kRead, subject, page, {}, std::move(named));
  }

  void for_each_pull(void (JetStreamPull::*action)()) {
    // Under the lock, so that a removed pull client is no longer called.
    const MutexLock lock(pulls_mutex_);
    for (const auto& pull : pulls_) (pull.get()->*action)();
  }

  const std::unique_ptr<LoopThread> own_;
  LoopThread& turns_;
  const PublishWatch on_published_;
  std::unique_ptr<NatsConnection> connection_;
  Mutex pulls_mutex_;
  std::vector<std::shared_ptr<JetStreamPull>> pulls_ GUARDED_BY(pulls_mutex_);
  std::unique_ptr<RequestMux> mux_;
  std::unique_ptr<GroupCommit> groups_;  // none: everything goes singly
  std::unique_ptr<Subscription> changes_;
};

class JetStreamPullConsumer final : public PullConsumer {
 public:
  JetStreamPullConsumer(JetStreamBus& bus, std::shared_ptr<JetStreamPull> pull)
      : bus_(bus), pull_(std::move(pull)) {}
  ~JetStreamPullConsumer() override {
    bus_.remove(pull_);
    pull_->close();
  }
  void allow(std::size_t count) override { pull_->allow(count); }
  std::size_t withdraw(std::size_t count) override { return pull_->withdraw(count); }
  void stop() override { pull_->stop(); }

 private:
  JetStreamBus& bus_;
  std::shared_ptr<JetStreamPull> pull_;
};

std::unique_ptr<PullConsumer> JetStreamBus::pull(Durable durable, DeliveryHandler handler) {
  auto pull =
      std::make_shared<JetStreamPull>(*this, *connection_, std::move(durable), std::move(handler));
  if (auto started = pull->start(); !started) {
    // Only for want of memory.
    spdlog::error("cannot pull: {}", started.error().message);
  }
  const MutexLock lock(pulls_mutex_);
  pulls_.push_back(pull);
  return std::make_unique<JetStreamPullConsumer>(*this, std::move(pull));
}

}  // namespace

Result<std::unique_ptr<Bus>> connect_jetstream(JetStreamOptions options) {
  auto own = options.turns == nullptr ? std::make_unique<LoopThread>() : nullptr;
  LoopThread& turns = own ? *own : *options.turns;
  ASSIGN_OR_RETURN(auto connection, NatsConnection::connect(turns.loop(), options));
  ASSIGN_OR_RETURN(auto mux,
                   RequestMux::create(*connection, {.publish_timeout = options.publish_timeout,
                                                    .read_timeout = options.request_timeout,
                                                    .question_timeout = Bus::kAnswerWithin,
                                                    .max_publishes = options.max_in_flight}));
  return std::make_unique<JetStreamBus>(std::move(own), turns, std::move(connection),
                                        std::move(mux), options);
}

}  // namespace toolway::bus
