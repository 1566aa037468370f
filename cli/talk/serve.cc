#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <thread>

#include "base/os/file_io.h"
#include "chat/providers/model_server.h"
#include "chat/providers/scripted_provider.h"
#include "cli/talk/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"

namespace toolway::cli::talk {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace providers = chat::providers;
using asio::ip::tcp;

constexpr std::uint64_t kMaxBodyBytes = 64UL << 20;

/// Answers one request, and closes: an answer ends where its connection does.
void serve_connection(tcp::socket socket, std::shared_ptr<providers::Provider> model) {
  boost::beast::flat_buffer buffer;
  boost::system::error_code error;
  socket.set_option(tcp::no_delay(true), error);
  http::request_parser<http::string_body> parser;
  parser.body_limit(kMaxBodyBytes);
  http::read(socket, buffer, parser, error);
  if (error) return;
  const auto send = [&](std::string_view bytes) {
    asio::write(socket, asio::buffer(bytes.data(), bytes.size()), error);
  };
  const providers::AnswerSink sink{
      .head =
          [&](int status, std::string_view type) {
            send(fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nConnection: close\r\n\r\n",
                             status, status == 200 ? "OK" : "Error", type));
          },
      .body = send};
  const auto& request = parser.get();
  const auto api = providers::api_of_path({request.target().data(), request.target().size()});
  if (api && request.method() == http::verb::post) {
    providers::serve_model(*api, request.body(), *model, sink, {});
  } else {
    sink.head(404, "text/plain");
    sink.body("POST /v1/chat/completions, /v1/responses or /v1/messages\n");
  }
  socket.shutdown(tcp::socket::shutdown_send, error);
}

}  // namespace

int serve_script(const ServeOptions& options) {
  auto opened = providers::open_scripted_provider(options.script);
  if (!opened) return terminal::report_error(opened.error());
  const std::shared_ptr<providers::Provider> model = std::move(*opened);
  asio::io_context context;
  tcp::acceptor acceptor(context);
  boost::system::error_code error;
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(),
                               static_cast<std::uint16_t>(options.port));
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return terminal::report_error(
        {ErrorCode::kInternal, fmt::format("cannot listen on 127.0.0.1:{}: {}. Choose another "
                                           "--port",
                                           options.port, error.message())});
  const auto port = acceptor.local_endpoint().port();
  if (!options.port_file.empty())
    if (const auto told = os::write_whole_file(options.port_file, std::to_string(port)); !told)
      return terminal::report_error(told.error());
  fmt::print("serving {} at http://127.0.0.1:{}/v1, until Ctrl-C\n", options.script, port);
  std::fflush(stdout);
  while (true) {
    tcp::socket socket(context);
    acceptor.accept(socket, error);
    // Each has a thread: a script may let its client wait.
    if (!error) std::thread(serve_connection, std::move(socket), model).detach();
  }
}

}  // namespace toolway::cli::talk
