#include "monitoring/http_endpoint.h"

#include <fmt/format.h>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <thread>

#include "monitoring/exposition.h"

namespace toolway::monitoring {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::size_t kMaxConnections = 64;
constexpr std::chrono::seconds kTimeout{10};

class BeastHttpEndpoint final : public HttpEndpoint {
 public:
  BeastHttpEndpoint(HttpEndpointOptions options, tcp::endpoint address)
      : options_(std::move(options)), acceptor_(context_, address) {}

  ~BeastHttpEndpoint() override {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  void start() {
    asio::co_spawn(context_, accept(), asio::detached);
    thread_ = std::thread([this] { context_.run(); });
  }

  std::uint16_t port() const override { return acceptor_.local_endpoint().port(); }

 private:
  asio::awaitable<void> accept() {
    for (;;) {
      auto [error, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
      if (error) {  // e.g. no file descriptors left: try again, but do not spin
        asio::steady_timer pause(context_, std::chrono::milliseconds(100));
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
        continue;
      }
      if (connections_ >= kMaxConnections) continue;
      asio::co_spawn(context_, serve(beast::tcp_stream(std::move(socket))), asio::detached);
    }
  }

  asio::awaitable<void> serve(beast::tcp_stream stream) {
    ++connections_;
    beast::flat_buffer buffer(16 * 1024);
    for (bool keep = true; keep;) {
      http::request_parser<http::empty_body> parser;
      stream.expires_after(kTimeout);
      auto [read_error, read] =
          co_await http::async_read(stream, buffer, parser, asio::as_tuple(asio::use_awaitable));
      if (read_error) break;
      auto response = answer(parser.get());
      keep = response.keep_alive();
      stream.expires_after(kTimeout);
      auto [write_error, written] =
          co_await http::async_write(stream, response, asio::as_tuple(asio::use_awaitable));
      if (write_error) break;
    }
    --connections_;
  }

  http::response<http::string_body> answer(const http::request<http::empty_body>& request) const {
    http::response<http::string_body> response{http::status::ok, request.version()};
    response.set(http::field::content_type, "text/plain; charset=utf-8");
    const std::string_view target(request.target().data(), request.target().size());
    if (request.method() != http::verb::get) {
      response.result(http::status::method_not_allowed);
      response.set(http::field::allow, "GET");
    } else if (target == "/metrics") {
      const auto accept = request[http::field::accept];
      const auto format = choose_exposition({accept.data(), accept.size()});
      const auto type = content_type(format);
      response.set(http::field::content_type, {type.data(), type.size()});
      response.set(http::field::vary, "Accept");
      response.body() = options_.metrics(format);
    } else if (target == "/livez") {
      response.body() = "alive\n";
    } else if (target == "/readyz") {
      const Result<void> ready = options_.ready();
      if (!ready) response.result(http::status::service_unavailable);
      response.body() = ready ? "ready\n" : ready.error().message + "\n";
    } else {
      response.result(http::status::not_found);
      response.body() = "try /metrics, /livez or /readyz\n";
    }
    response.keep_alive(request.keep_alive());
    response.prepare_payload();
    return response;
  }

  HttpEndpointOptions options_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  std::size_t connections_ = 0;  // of the endpoint's thread
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<HttpEndpoint>> start_http_endpoint(HttpEndpointOptions options) {
  const std::string where = fmt::format("{}:{}", options.host, options.port);
  boost::system::error_code error;
  const auto host = asio::ip::make_address(options.host, error);
  if (error) {
    return fail(ErrorCode::kInvalidRequest, fmt::format("{}: {}", where, error.message()));
  }
  try {
    const tcp::endpoint address(host, options.port);
    auto endpoint = std::make_unique<BeastHttpEndpoint>(std::move(options), address);
    endpoint->start();
    return endpoint;
  } catch (const boost::system::system_error& bind_error) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("cannot listen on {}: {}", where, bind_error.code().message()));
  }
}

}  // namespace toolway::monitoring
