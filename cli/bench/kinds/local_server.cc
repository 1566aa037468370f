#include "cli/bench/kinds/local_server.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <thread>

namespace toolway::cli::bench::kinds {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::as_tuple;
using asio::use_awaitable;
using asio::ip::tcp;

class AsioLocalServer final : public LocalServer {
 public:
  AsioLocalServer()
      : acceptor_(context_, {asio::ip::address_v4::loopback(), 0}), released_(context_) {
    released_.expires_at(asio::steady_timer::time_point::max());
    asio::co_spawn(context_, accept_all(), asio::detached);
    thread_ = std::jthread([this] { context_.run(); });
  }
  ~AsioLocalServer() override { context_.stop(); }

  std::string url() const override {
    return fmt::format("http://127.0.0.1:{}/", acceptor_.local_endpoint().port());
  }
  void hold() override { holding_ = true; }
  void release() override {
    holding_ = false;
    asio::post(context_, [this] { released_.cancel(); });
  }
  unsigned held() const override { return held_; }

 private:
  asio::awaitable<void> accept_all() {
    for (;;) {
      auto [error, socket] = co_await acceptor_.async_accept(as_tuple(use_awaitable));
      if (error) continue;
      socket.set_option(tcp::no_delay(true));
      asio::co_spawn(context_, serve(std::move(socket)), asio::detached);
    }
  }

  asio::awaitable<void> serve(tcp::socket socket) {
    static constexpr std::string_view kAnswer =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    beast::flat_buffer buffer;
    for (;;) {
      http::request<http::string_body> request;
      const auto [error, read] =
          co_await http::async_read(socket, buffer, request, as_tuple(use_awaitable));
      if (error) co_return;
      if (holding_) {
        ++held_;
        while (holding_) co_await released_.async_wait(as_tuple(use_awaitable));
        --held_;
      }
      const auto [failed, written] =
          co_await asio::async_write(socket, asio::buffer(kAnswer), as_tuple(use_awaitable));
      if (failed) co_return;
    }
  }

  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer released_;
  std::atomic<bool> holding_ = false;
  std::atomic<unsigned> held_ = 0;
  std::jthread thread_;
};

}  // namespace

Result<std::unique_ptr<LocalServer>> LocalServer::start() {
  try {
    return std::make_unique<AsioLocalServer>();
  } catch (const boost::system::system_error& error) {
    return fail(ErrorCode::kInternal, fmt::format("cannot listen on loopback: {}", error.what()));
  }
}

}  // namespace toolway::cli::bench::kinds
