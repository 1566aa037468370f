#include "tests/chaos/proxy.h"

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <thread>
#include <vector>

namespace toolway::chaos {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

/// What all connections go through.
struct Weather {
  Clock::time_point stalled_until{};
  Clock::duration delay{0};
};

/// A client's connection and the proxy's own to the server. For the proxy's thread.
class Pair : public std::enable_shared_from_this<Pair> {
 public:
  Pair(tcp::socket client, asio::io_context& context, const Weather& weather)
      : client_(std::move(client)),
        server_(context),
        timers_{asio::steady_timer(context), asio::steady_timer(context)},
        weather_(weather) {}

  void connect(std::uint16_t upstream) {
    server_.async_connect({asio::ip::address_v4::loopback(), upstream},
                          [self = shared_from_this()](error_code error) {
                            if (error) return self->reset();
                            error_code ignored;
                            self->server_.set_option(tcp::no_delay(true), ignored);
                            self->client_.set_option(tcp::no_delay(true), ignored);
                            self->pump(0);
                            self->pump(1);
                          });
  }

  void reset() {
    error_code ignored;
    for (auto* socket : {&client_, &server_}) {
      if (!socket->is_open()) continue;
      socket->set_option(asio::socket_base::linger(true, 0), ignored);
      socket->close(ignored);
    }
    for (auto& timer : timers_) timer.cancel();
  }

 private:
  void pump(std::size_t direction) {
    auto& from = direction == 0 ? client_ : server_;
    from.async_read_some(
        asio::buffer(buffers_[direction]),
        [self = shared_from_this(), direction](error_code error, std::size_t size) {
          if (error) return self->reset();
          self->pass_on(direction, size, Clock::now() + self->weather_.delay);
        });
  }

  void pass_on(std::size_t direction, std::size_t size, Clock::time_point due) {
    due = std::max(due, weather_.stalled_until);
    if (Clock::now() < due) {
      auto& timer = timers_[direction];
      timer.expires_at(due);
      timer.async_wait([self = shared_from_this(), direction, size, due](error_code error) {
        if (!error) self->pass_on(direction, size, due);
      });
      return;
    }
    auto& to = direction == 0 ? server_ : client_;
    asio::async_write(to, asio::buffer(buffers_[direction].data(), size),
                      [self = shared_from_this(), direction](error_code error, std::size_t) {
                        if (error) return self->reset();
                        self->pump(direction);
                      });
  }

  tcp::socket client_;
  tcp::socket server_;
  std::array<asio::steady_timer, 2> timers_;
  std::array<std::array<char, 32 * 1024>, 2> buffers_;
  const Weather& weather_;
};

class AsioProxy final : public Proxy {
 public:
  explicit AsioProxy(std::uint16_t upstream)
      : upstream_(upstream),
        acceptor_(context_, {asio::ip::address_v4::loopback(), 0}),
        port_(acceptor_.local_endpoint().port()) {
    accept();
    thread_ = std::jthread([this] { context_.run(); });
  }
  ~AsioProxy() override { context_.stop(); }

  std::uint16_t port() const override { return port_; }
  void reset() override {
    asio::post(context_, [this] { reset_all(); });
  }
  void stall(std::chrono::milliseconds duration) override {
    asio::post(context_, [this, duration] { weather_.stalled_until = Clock::now() + duration; });
  }
  void delay(std::chrono::milliseconds by) override {
    asio::post(context_, [this, by] { weather_.delay = by; });
  }
  void cut(std::chrono::milliseconds duration) override {
    asio::post(context_, [this, duration] {
      cut_until_ = Clock::now() + duration;
      reset_all();
    });
  }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error) {
        std::erase_if(pairs_, [](const auto& pair) { return pair.expired(); });
        auto pair = std::make_shared<Pair>(std::move(socket), context_, weather_);
        if (Clock::now() < cut_until_) {
          pair->reset();
        } else {
          pairs_.push_back(pair);
          pair->connect(upstream_);
        }
      }
      accept();
    });
  }

  void reset_all() {
    for (const auto& pair : pairs_)
      if (const auto alive = pair.lock()) alive->reset();
    pairs_.clear();
  }

  const std::uint16_t upstream_;
  Weather weather_;
  Clock::time_point cut_until_{};
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  const std::uint16_t port_;
  std::vector<std::weak_ptr<Pair>> pairs_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace

Result<std::unique_ptr<Proxy>> Proxy::start(std::uint16_t upstream) {
  try {
    return std::make_unique<AsioProxy>(upstream);
  } catch (const boost::system::system_error& error) {
    return fail(ErrorCode::kInternal, std::string("cannot start a proxy: ") + error.what());
  }
}

}  // namespace toolway::chaos
