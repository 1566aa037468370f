#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <condition_variable>
#include <thread>

#include "gateway/connection.h"
#include "monitoring/metric_names.h"
#include "gateway/gateway.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

using boost::system::error_code;
using std::chrono::steady_clock;
constexpr std::chrono::milliseconds kSweep{250};
constexpr std::chrono::seconds kSecond{1};
constexpr std::size_t kMostChecks = 32;  // feeds compared with the record at each gap check

class ConnectionLetter final : public Letter {
 public:
  ConnectionLetter(Services& services, bus::Connection state)
      : services_(services), state_(state) {}
  void open() override {
    // Changes of sessions, and events, may have been missed.
    services_.sessions.connection_changed(state_);
    services_.live.connection_changed(state_);
    if (state_ == bus::Connection::kConnected) services_.bus_watch.ask_now();
  }

 private:
  Services& services_;
  bus::Connection state_;
};

/// Owns the thread, the sockets and everything that answers requests.
class HttpGateway final : public Gateway {
 public:
  HttpGateway(bus::Bus& bus, persistence::StoreReader& store,
              const tools::LiveRegistry& registry, monitoring::Metrics& metrics,
              const Clock& clock, GatewayOptions options)
      : options_(std::move(options)),
        bus_(bus),
        services_(bus, store, registry, metrics, clock, options_, io_),
        acceptor_(io_),
        sweep_timer_(io_),
        delay_timer_(io_),
        gap_timer_(io_),
        work_(io_.get_executor()) {}

  ~HttpGateway() override {
    if (thread_.joinable()) {
      asio::post(io_, [this] { end(); });
      thread_.join();
    }
    on_connection_.reset();
    services_.inbox->close();
  }

  Result<void> start() {
    if (auto bound = bind(); !bound) return bound;
    on_connection_ = bus_.on_connection([this](bus::Connection state) {
      services_.inbox->post(std::make_shared<ConnectionLetter>(services_, state));
    });
    services_.sessions.watch();
    next_touch_ = services_.clock.monotonic() + options_.session_idle / 16;
    asio::co_spawn(io_, accept(), asio::detached);
    asio::co_spawn(io_, sweep(), asio::detached);
    asio::co_spawn(io_, watch_delay(), asio::detached);
    asio::co_spawn(io_, fill_gaps(), asio::detached);
    asio::co_spawn(io_, services_.bus_watch.run(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
    return {};
  }

  std::uint16_t port() const override { return port_; }

  void drain(std::chrono::milliseconds timeout) override {
    asio::post(io_, [this] {
      services_.draining = true;
      error_code ignored;
      acceptor_.close(ignored);
      for (Connection& connection : connections_) connection.drain();
    });
    std::unique_lock lock(mutex_);
    idle_.wait_for(lock, timeout, [this] { return open_ == 0; });
  }

 private:
  Result<void> bind() {
    error_code error;
    const auto address = asio::ip::make_address(
        options_.host == "localhost" ? "127.0.0.1" : options_.host, error);
    const asio::ip::tcp::endpoint endpoint(address, options_.port);
    if (!error) acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(4096, error);
    if (error) {
      return fail(ErrorCode::kInvalidRequest, fmt::format("cannot listen on {}:{}: {}",
                                                          options_.host, options_.port,
                                                          error.message()));
    }
    port_ = acceptor_.local_endpoint().port();
    return {};
  }

  Task<void> accept() {
    while (acceptor_.is_open()) {
      error_code error;
      auto token = asio::redirect_error(use_task, error);
      Socket socket = co_await acceptor_.async_accept(token);
      if (error == asio::error::operation_aborted) break;
      if (error) {  // e.g. no file descriptors left: some may come free
        spdlog::warn("cannot accept a connection: {}", error.message());
        co_await pause(io_.get_executor(), kSweep);
        continue;
      }
      if (open_ >= options_.max_connections) {
        refuse_connection(socket);
        continue;
      }
      auto connection = std::make_shared<Connection>(services_, std::move(socket));
      connections_.push_back(*connection);
      count(1);
      auto ended = [this](std::exception_ptr) { count(-1); };
      asio::co_spawn(io_, serve(std::move(connection)), std::move(ended));
    }
  }

  static Task<void> serve(std::shared_ptr<Connection> connection) { co_await connection->run(); }

  void refuse_connection(Socket& socket) {
    Problem problem{.error = Error{ErrorCode::kOverloaded, "too many connections"}};
    services_.requests.answered(Route::kNone, status_of(problem));
    const std::string id = random_hex(8);
    const std::string body = problem_json(problem, id);
    const std::string text = fmt::format(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\n"
        "content-length: {}\r\nretry-after: 1\r\nx-request-id: {}\r\nconnection: close\r\n\r\n{}",
        body.size(), id, body);
    error_code ignored;
    socket.non_blocking(true, ignored);
    socket.send(asio::buffer(text), 0, ignored);
  }

  void count(int change) {
    const std::scoped_lock lock(mutex_);
    open_ += static_cast<std::size_t>(change);
    if (open_ == 0) idle_.notify_all();
  }

  Task<void> sweep() {
    while (!ending_) {
      sweep_timer_.expires_after(kSweep);
      co_await wait_on(sweep_timer_);
      const auto now = steady_clock::now();
      for (auto it = connections_.begin(); it != connections_.end();) (it++)->sweep(now);
      services_.live.sweep(now);
      services_.workers.listen();
      services_.sessions.sweep();
      services_.store.sweep();
      every_second();
      touch_followed();
    }
  }

  /// How late the loop comes to a timer that is due is how long everything waits.
  Task<void> watch_delay() {
    constexpr std::chrono::milliseconds kBetween{20};
    constexpr std::chrono::seconds kShown{30};
    auto& gauge = services_.metrics.gauge(monitoring::kLoopDelay);
    steady_clock::duration longest{};
    auto since = steady_clock::now();
    while (!ending_) {
      delay_timer_.expires_after(kBetween);
      co_await wait_on(delay_timer_);
      const auto now = steady_clock::now();
      longest = std::max(longest, now - delay_timer_.expiry());
      if (now - since >= kShown) {
        since = now;
        longest = now - delay_timer_.expiry();
      }
      gauge.set(std::chrono::duration<double>(longest).count());
    }
  }

  void every_second() {
    const auto now = services_.clock.monotonic();
    if (now < next_second_) return;
    next_second_ = now + kSecond;
    services_.switches.look();
    services_.measure_memory();
  }

  /// Whoever follows a session uses it.
  void touch_followed() {
    const auto now = services_.clock.monotonic();
    if (options_.session_idle.count() == 0 || now < next_touch_ || touching_) return;
    next_touch_ = now + options_.session_idle / 16;
    touching_ = true;
    asio::co_spawn(io_, touch_each(), [this](std::exception_ptr) { touching_ = false; });
  }

  Task<void> touch_each() {
    std::vector<std::pair<std::string, std::string>> followed;
    for (const Feed* feed : services_.feeds) {
      const auto& scope = feed->scope();
      if (!scope.call) followed.emplace_back(scope.user_id, scope.session_id);
    }
    for (auto& [user, session_id] : followed) {
      if (ending_) co_return;
      const Caller follower{std::move(user), {}};
      // One at a time: there is no hurry, and a gateway may have ten thousand.
      (void)co_await services_.sessions.find(follower, session_id);
    }
  }

  /// An idle stream costs one request per check; a busy one, a few feeds per turn.
  Task<void> fill_gaps() {
    std::size_t turn = 0;
    while (!ending_) {
      gap_timer_.expires_after(options_.gap_check);
      co_await wait_on(gap_timer_);
      if (ending_ || services_.feeds.empty()) continue;
      const auto state = co_await services_.bus.stream_state(proto::kEventsStream);
      if (!state) continue;
      const EventPosition end{state->incarnation, state->last_sequence};
      std::vector<Feed*> behind;
      for (Feed* feed : services_.feeds) {
        if (feed->behind(end)) behind.push_back(feed);
      }
      for (std::size_t i = 0; i < std::min(kMostChecks, behind.size()); ++i) {
        behind[turn++ % behind.size()]->check();
      }
    }
  }

  void end() {
    ending_ = services_.draining = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (auto it = connections_.begin(); it != connections_.end();) (it++)->close();
    services_.inbox->abandon();
    services_.bus_watch.stop();
    sweep_timer_.cancel();
    delay_timer_.cancel();
    gap_timer_.cancel();
    work_.reset();
  }

  GatewayOptions options_;
  bus::Bus& bus_;
  asio::io_context io_{1};
  Services services_;
  Acceptor acceptor_;
  Timer sweep_timer_;
  Timer delay_timer_;
  Timer gap_timer_;
  asio::executor_work_guard<Executor> work_;
  boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>> connections_;
  std::unique_ptr<bus::Subscription> on_connection_;
  std::uint16_t port_ = 0;
  bool ending_ = false;
  MonotonicTime next_touch_{};
  MonotonicTime next_second_{};
  bool touching_ = false;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t open_ = 0;  // under mutex_ when written, or read by another thread
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Gateway>> start_gateway(bus::Bus& bus, persistence::StoreReader& store,
                                               const tools::LiveRegistry& registry,
                                               monitoring::Metrics& metrics, const Clock& clock,
                                               GatewayOptions options) {
  auto gateway = std::make_unique<HttpGateway>(bus, store, registry, metrics, clock,
                                               std::move(options));
  if (auto started = gateway->start(); !started) return fail(std::move(started.error()));
  return gateway;
}

}  // namespace toolway::gateway
