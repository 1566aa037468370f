#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <thread>

#include "base/mutex.h"
#include "base/try.h"
#include "gateway/gateway.h"
#include "gateway/loop/bus_turns.h"
#include "gateway/loop/delay_watch.h"
#include "gateway/loop/give_way.h"
#include "gateway/server/gateway_parts.h"
#include "gateway/server/start_gateway.h"
#include "monitoring/metric_names.h"
#include "monitoring/turn_watch.h"
#include "proto/subjects.h"

namespace toolway::gateway::server {
namespace {

using boost::system::error_code;
constexpr std::chrono::milliseconds kSweepInterval{250};
constexpr std::chrono::seconds kSecond{1};
constexpr std::chrono::seconds kLastWords{3};
constexpr std::size_t kMaxFeedChecks = 32;  // feeds compared with the record at each gap check

/// Owns the thread, the sockets and everything that answers requests.
class HttpGateway final : public Gateway {
 public:
  HttpGateway(bus::Bus& bus, persistence::store::StoreReader& store,
              const tools::model::LiveRegistry& registry, monitoring::Metrics& metrics,
              const Clock& clock, GatewayOptions options, std::unique_ptr<edge::Edge> edge)
      : options_(std::move(options)),
        edge_(std::move(edge)),
        bus_(bus),
        bus_turns_(io_, options_.bus_turns),
        parts_(bus, store, registry, metrics, clock, options_, *edge_, io_),
        acceptor_(io_),
        sweep_timer_(io_),
        delay_(io_, metrics.gauge(monitoring::kLoopDelay, "loop", std::to_string(options_.loop)),
               clock),
        gap_timer_(io_),
        evicted_(metrics.counter(monitoring::kConnectionsEvicted)),
        open_connections_(metrics.gauge(monitoring::kConnections)),
        work_(io_.get_executor()) {}

  ~HttpGateway() override {
    if (thread_.joinable()) {
      asio::post(io_, [this] { end(); });
      thread_.join();
      parts_.await_last_refusals(kLastWords);
    }
    on_connection_.reset();
    parts_.io_post->close();
  }

  Result<void> start() {
    RETURN_IF_ERROR(bind());
    on_connection_ = bus_.on_connection([this](bus::Connection state) {
      parts_.io_post->post([this, state] { connection_changed(state); });
    });
    parts_.sessions.watch();
    next_touch_ = parts_.clock.monotonic() + options_.session_idle / 16;
    asio::co_spawn(io_, accept(), asio::detached);
    asio::co_spawn(io_, sweep(), asio::detached);
    asio::co_spawn(io_, delay_.run(), asio::detached);
    asio::co_spawn(io_, fill_gaps(), asio::detached);
    asio::co_spawn(io_, parts_.bus_watch.run(), asio::detached);
    bus_turns_.begin();
    thread_ = std::thread([this] {
      monitoring::TurnWatch watch(parts_.metrics, parts_.clock, options_.loop);
      for (watch.begins(); io_.run_one() != 0; watch.ended()) delay_.turned();
    });
    return {};
  }

  std::uint16_t port() const override { return port_; }

  void begin_drain() override {
    asio::post(io_, [this] {
      parts_.drain.begin();
      error_code ignored;
      acceptor_.close(ignored);
      for (Connection& connection : connections_) connection.drain();
    });
  }

  void drain(std::chrono::milliseconds timeout) override {
    begin_drain();
    MutexLock lock(mutex_);
    idle_.wait_for(lock, timeout, [this]() REQUIRES(mutex_) { return open_ == 0; });
  }

 private:
  Result<void> bind() {
    ASSIGN_OR_RETURN(const auto address, edge::listen_address(options_.host));
    const asio::ip::tcp::endpoint endpoint(address, options_.port);
    error_code error;
    // Another process's port could be shared, too: the first of ours must have it alone.
    if (options_.loops > 1 && options_.loop == 0) error = listen(endpoint, Port::kOwn);
    if (!error) error = listen(endpoint, options_.loops > 1 ? Port::kShared : Port::kOwn);
    if (error) {
      return fail(
          ErrorCode::kInvalidRequest,
          fmt::format("cannot listen on {}:{}: {}", options_.host, options_.port, error.message()));
    }
    port_ = acceptor_.local_endpoint().port();
    return {};
  }

  enum class Port : std::uint8_t { kOwn, kShared };
  error_code listen(const asio::ip::tcp::endpoint& endpoint, Port port) {
    error_code error;
    acceptor_.close(error);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    constexpr int kOn = 1;
    if (!error && port == Port::kShared &&
        setsockopt(acceptor_.native_handle(), SOL_SOCKET, SO_REUSEPORT, &kOn, sizeof kOn) != 0)
      error.assign(errno, boost::system::system_category());
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(4096, error);
    return error;
  }

  /// Changes of sessions, and events, may have been missed.
  void connection_changed(bus::Connection state) {
    parts_.sessions.connection_changed(state);
    parts_.live.connection_changed(state);
    if (state == bus::Connection::kConnected) parts_.bus_watch.ask_now();
  }

  loop::Task<void> accept() {
    while (acceptor_.is_open()) {
      error_code error;
      auto token = asio::redirect_error(loop::use_task, error);
      loop::Socket socket = co_await acceptor_.async_accept(token);
      if (error == asio::error::operation_aborted) break;
      if (error) {  // e.g. no file descriptors left: some may come free
        spdlog::warn("cannot accept a connection: {}", error.message());
        co_await loop::pause(kSweepInterval);
        continue;
      }
      const auto remote = socket.remote_endpoint(error);
      if (error) continue;  // it is already gone
      const auto address = edge::plain_address(remote.address());
      const auto key = edge::address_key(address);
      if (const char* why = no_room_for(address, key)) {
        refuse_connection(socket, why);
        continue;
      }
      auto connection =
          std::make_shared<Connection>(parts_.connections, std::move(socket), address);
      connections_.push_back(*connection);
      edge_->room.enter(key);
      count(1);
      auto ended = [this, key](std::exception_ptr) {
        edge_->room.leave(key);
        count(-1);
      };
      asio::co_spawn(io_, serve(std::move(connection)), std::move(ended));
    }
  }

  static loop::Task<void> serve(std::shared_ptr<Connection> connection) {
    co_await connection->run();
  }

  /// Why a connection from there is refused; nothing: it is accepted.
  const char* no_room_for(const asio::ip::address& address, std::uint64_t key) {
    const bool shared = address.is_loopback() || edge_->trusted.holds(address);
    const auto kind =
        shared ? edge::ConnectionRoom::Kind::kShared : edge::ConnectionRoom::Kind::kOwn;
    switch (edge_->room.judge(key, kind)) {
      case edge::ConnectionRoom::Admission::kRoom: return nullptr;
      case edge::ConnectionRoom::Admission::kAddressFull:
        return "too many connections from your address";
      case edge::ConnectionRoom::Admission::kFull: break;
    }
    if (!make_room()) return "too many connections";
    return nullptr;
  }

  /// Closes connections that have waited for a request for a while: first those of the address with
  /// the most.
  bool make_room() {
    struct Idle {
      std::size_t of_address;
      MonotonicTime since;
      Connection* connection;
    };
    std::vector<Idle> idle;
    const auto latest = parts_.clock.monotonic() - kSecond;
    for (Connection& connection : connections_) {
      const auto since = connection.idle_since();
      if (!since || *since > latest) continue;
      idle.push_back(
          {edge_->room.open_of(edge::address_key(connection.peer())), *since, &connection});
    }
    if (idle.empty()) return false;
    // Several at once: the next ones that come need not search again.
    const std::size_t count = std::min(idle.size(), 1 + open() / 64);
    std::partial_sort(idle.begin(), idle.begin() + static_cast<std::ptrdiff_t>(count), idle.end(),
                      [](const Idle& a, const Idle& b) {
                        return a.of_address != b.of_address ? a.of_address > b.of_address
                                                            : a.since < b.since;
                      });
    for (std::size_t i = 0; i < count; ++i) idle[i].connection->close();
    evicted_.add(static_cast<double>(count));
    return true;
  }

  void refuse_connection(loop::Socket& socket, const char* why) {
    wire::Problem problem{.error = Error{ErrorCode::kOverloaded, why}};
    parts_.requests.answered(wire::Route::kNone, wire::status_of(problem));
    const std::string id = random_hex(8);
    const std::string body = wire::problem_json(problem, id);
    const std::string text = fmt::format(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\n"
        "content-length: {}\r\nretry-after: 1\r\nx-request-id: {}\r\nconnection: close\r\n\r\n{}",
        body.size(), id, body);
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.send(asio::buffer(text), 0, ignored);
  }

  std::size_t open() const {
    const MutexLock lock(mutex_);
    return open_;
  }

  void count(int change) {
    open_connections_.add(change);
    const MutexLock lock(mutex_);
    open_ += static_cast<std::size_t>(change);
    if (open_ == 0) idle_.notify_all();
  }

  loop::Task<void> sweep() {
    while (!ending_) {
      sweep_timer_.expires_after(kSweepInterval);
      co_await loop::wait_on(sweep_timer_);
      const auto now = parts_.clock.monotonic();
      for (auto it = connections_.begin(); it != connections_.end();) (it++)->sweep(now);
      // One look at each of ten thousand takes milliseconds: each kind has its own turn.
      co_await loop::give_way();
      parts_.live.sweep(now);
      parts_.workers.listen();
      parts_.sessions.sweep();
      parts_.end_feeds_of_deleted();
      parts_.store.sweep();
      co_await every_second();
      touch_followed();
    }
  }

  loop::Task<void> every_second() {
    const auto now = parts_.clock.monotonic();
    if (now < next_second_) co_return;
    next_second_ = now + kSecond;
    co_await loop::give_way();
    parts_.every_second();
  }

  /// Following a session counts as using it.
  void touch_followed() {
    const auto now = parts_.clock.monotonic();
    if (options_.session_idle.count() == 0 || now < next_touch_ || touching_) return;
    next_touch_ = now + options_.session_idle / 16;
    touching_ = true;
    asio::co_spawn(io_, touch_each(), [this](std::exception_ptr) { touching_ = false; });
  }

  loop::Task<void> touch_each() {
    co_await loop::give_way();
    std::vector<live::EventScope> followed;
    for (const live::Feed* feed : parts_.feeds)
      if (!feed->scope().call) followed.push_back(feed->scope());
    // One at a time: a gateway may have ten thousand, and they have minutes.
    for (const auto& scope : followed) {
      if (ending_) co_return;
      const auto found = co_await parts_.sessions.find(scope.owner(), scope.session_id);
      if (!found && found.error().error.code == ErrorCode::kUnknownSession)
        parts_.deleted_sessions.push_back(scope.session);
    }
  }

  /// An idle stream costs one request per check; a busy one, a few feeds per turn.
  loop::Task<void> fill_gaps() {
    std::size_t turn = 0;
    while (!ending_) {
      gap_timer_.expires_after(options_.gap_check);
      co_await loop::wait_on(gap_timer_);
      if (ending_ || parts_.feeds.empty()) continue;
      const auto state = co_await parts_.bus.stream_state(proto::kEventsStream);
      if (!state) continue;
      const persistence::store::EventPosition end{state->incarnation, state->last_sequence};
      std::vector<live::Feed*> behind;
      for (live::Feed* feed : parts_.feeds) {
        if (feed->behind(end)) behind.push_back(feed);
      }
      for (std::size_t i = 0; i < std::min(kMaxFeedChecks, behind.size()); ++i) {
        behind[turn++ % behind.size()]->check();
      }
    }
  }

  void end() {
    ending_ = true;
    parts_.drain.begin();
    parts_.tell_last_refusals();
    error_code ignored;
    acceptor_.close(ignored);
    for (auto it = connections_.begin(); it != connections_.end();) (it++)->close();
    parts_.io_post->abandon();
    parts_.stop_asking();
    sweep_timer_.cancel();
    delay_.end();
    gap_timer_.cancel();
    bus_turns_.end();
    work_.reset();
  }

  GatewayOptions options_;
  std::unique_ptr<edge::Edge> edge_;
  bus::Bus& bus_;
  asio::io_context io_{1};
  loop::BusTurns bus_turns_;
  GatewayParts parts_;
  loop::Acceptor acceptor_;
  loop::Timer sweep_timer_;
  loop::DelayWatch delay_;
  loop::Timer gap_timer_;
  monitoring::Counter& evicted_;
  monitoring::Gauge& open_connections_;
  asio::executor_work_guard<loop::Executor> work_;
  boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>> connections_;
  std::unique_ptr<bus::Subscription> on_connection_;
  std::uint16_t port_ = 0;
  bool ending_ = false;
  MonotonicTime next_touch_{};
  MonotonicTime next_second_{};
  bool touching_ = false;
  mutable Mutex mutex_;
  CondVar idle_;
  std::size_t open_ GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

/// Of what bounds the process.
void take_part(GatewayOptions& options) {
  options.max_connections = std::max<std::size_t>(1, options.max_connections / options.loops);
  options.memory_budget_bytes /= options.loops;
  options.edge.request_bytes /= options.loops;
  options.waits.most /= options.loops;
}

}  // namespace

Result<std::unique_ptr<Gateway>> start_gateway(bus::Bus& bus,
                                               persistence::store::StoreReader& store,
                                               const tools::model::LiveRegistry& registry,
                                               monitoring::Metrics& metrics, const Clock& clock,
                                               GatewayOptions options) {
  take_part(options);
  ASSIGN_OR_RETURN(auto edge, edge::Edge::create(options.host,
                                                 {.header = options.max_header_bytes,
                                                  .body = options.max_body_bytes},
                                                 options.max_connections, options.edge));
  if (options.durability) {
    metrics.gauge(monitoring::kDurability, "survives", name_of(*options.durability)).set(1);
  }
  auto gateway = std::make_unique<HttpGateway>(bus, store, registry, metrics, clock,
                                               std::move(options), std::move(edge));
  RETURN_IF_ERROR(gateway->start());
  return gateway;
}

}  // namespace toolway::gateway::server
