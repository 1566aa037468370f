#include "cli/client/http_client.h"

#include <fmt/format.h>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/try.h"
#include "cli/process/host_port.h"

namespace toolway::cli::client {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

/// Asio's synchronous calls have no timeouts, so each step is an asynchronous
/// one, run to its end.
class BeastClient final : public HttpClient {
 public:
  BeastClient(ClientOptions options, process::HostPort where)
      : options_(std::move(options)), where_(std::move(where)), stream_(context_) {}

  Result<HttpAnswer> request(std::string_view method, std::string_view target, std::string body,
                             const Headers& headers) override {
    auto message = prepare(method, target, std::move(body), headers);
    const bool reused = connected_;
    error_code error = exchange(message);
    // A kept connection that the server has closed since has not seen the request.
    if (reused &&
        (error == http::error::end_of_stream || error == asio::error::broken_pipe ||
         error == asio::error::connection_reset) &&
        method == "GET")
      error = exchange(message);
    if (error) return fail(describe(error));
    HttpAnswer answer{.status = static_cast<int>(parser_->get().result_int()),
                      .body = std::move(parser_->get().body())};
    if (!parser_->get().keep_alive()) hang_up();
    return answer;
  }

  Result<HttpAnswer> stream(std::string_view target, const Headers& headers,
                            std::chrono::milliseconds silence, const std::function<void()>& opened,
                            const std::function<bool(std::string_view)>& chunk) override {
    hang_up();
    auto message = prepare("GET", target, {}, headers);
    message.set(http::field::accept, "text/event-stream");
    error_code error = connect();
    if (!error) error = send(message);
    if (error) return fail(describe(error));
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(boost::none);
    error = run(silence, [&](auto handler) {
      http::async_read_header(stream_, buffer_, parser, std::move(handler));
    });
    if (error) return fail(describe(error));
    const int status = static_cast<int>(parser.get().result_int());
    HttpAnswer answer{.status = status, .body = {}};
    if (status == 200) opened();
    std::vector<char> bytes(64 * 1024);
    while (!parser.is_done()) {
      auto& body = parser.get().body();
      body.data = bytes.data();
      body.size = bytes.size();
      error = run(silence, [&](auto handler) {
        http::async_read_some(stream_, buffer_, parser, std::move(handler));
      });
      if (error == http::error::need_buffer) error = {};
      const std::string_view got(bytes.data(), bytes.size() - parser.get().body().size);
      if (status != 200)
        answer.body += got;
      else if (!got.empty() && !chunk(got))
        break;
      if (error) {
        hang_up();
        return fail(describe(error));
      }
    }
    hang_up();
    return answer;
  }

 private:
  using Request = http::request<http::string_body>;

  Request prepare(std::string_view method, std::string_view target, std::string body,
                  const Headers& headers) const {
    Request message;
    message.method_string(beast::string_view(method.data(), method.size()));
    message.target(beast::string_view(target.data(), target.size()));
    message.version(11);
    message.set(http::field::host, where_.text());
    message.set(http::field::user_agent, "toolway/" TOOLWAY_VERSION);
    if (!options_.user.empty()) message.set("X-Toolway-User", options_.user);
    for (const auto& [name, value] : headers) message.set(name, value);
    if (!body.empty() || method == "POST")
      message.set(http::field::content_type, "application/json");
    message.body() = std::move(body);
    message.prepare_payload();
    return message;
  }

  template <typename Start>
  error_code run(std::chrono::milliseconds timeout, Start start) {
    error_code result = asio::error::timed_out;
    stream_.expires_after(timeout);
    start([&result](error_code error, auto&&...) { result = error; });
    context_.restart();
    context_.run();
    if (result == beast::error::timeout) result = asio::error::timed_out;
    if (result && result != http::error::need_buffer) connected_ = false;
    return result;
  }

  error_code connect() {
    if (connected_) return {};
    hang_up();
    error_code error;
    tcp::resolver resolver(context_);
    const auto endpoints = resolver.resolve(where_.host, std::to_string(where_.port), error);
    if (error) return error;
    error = run(std::chrono::seconds(5),
                [&](auto handler) { stream_.async_connect(endpoints, std::move(handler)); });
    if (error) return error;
    stream_.socket().set_option(tcp::no_delay(true), error);
    connected_ = true;
    return {};
  }

  error_code send(const Request& message) {
    return run(options_.timeout,
               [&](auto handler) { http::async_write(stream_, message, std::move(handler)); });
  }

  error_code exchange(const Request& message) {
    error_code error = connect();
    if (!error) error = send(message);
    if (error) return error;
    parser_.emplace();
    parser_->body_limit(boost::none);
    return run(options_.timeout, [&](auto handler) {
      http::async_read(stream_, buffer_, *parser_, std::move(handler));
    });
  }

  void hang_up() {
    stream_.close();
    buffer_.clear();
    connected_ = false;
  }

  Error describe(const error_code& error) const {
    if (error == asio::error::timed_out)
      return {ErrorCode::kTimeout, fmt::format("{} did not answer in time", options_.url)};
    return {ErrorCode::kBusUnavailable,
            fmt::format("cannot reach {}: {}. Is it running? `toolway dev` starts one here; --url "
                        "or TOOLWAY_URL names another",
                        options_.url, error.message())};
  }

  const ClientOptions options_;
  const process::HostPort where_;
  asio::io_context context_{1};
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::response_parser<http::string_body>> parser_;
  bool connected_ = false;
};

}  // namespace

OrderedJson HttpAnswer::json() const {
  auto parsed = parse_ordered_json(body, 1000);
  return parsed ? std::move(*parsed) : OrderedJson();
}

Result<std::unique_ptr<HttpClient>> HttpClient::create(ClientOptions options) {
  constexpr std::string_view scheme = "http://";
  auto rest = options.url;
  while (rest.ends_with('/')) rest.pop_back();
  // `localhost:8080` is what people type.
  if (rest.find("://") == std::string::npos) rest.insert(0, scheme);
  if (!rest.starts_with(scheme))
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("\"{}\" is not http://HOST:PORT", options.url));
  rest.erase(0, scheme.size());
  if (rest.find(':') == std::string::npos) rest += ":80";
  ASSIGN_OR_RETURN(auto where, process::parse_host_port(rest));
  return std::make_unique<BeastClient>(std::move(options), std::move(where));
}

}  // namespace toolway::cli::client
