#include "cli/bench/kinds/mcp_server.h"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <iostream>
#include <optional>
#include <thread>

#include "base/os/file_io.h"
#include "cli/terminal/exit_code.h"
#include "mcp/message.h"
#include "mcp/revision.h"

namespace toolway::cli::bench::kinds {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

/// What it answers, if it does.
std::optional<std::string> answer_to(std::string_view text) {
  auto message = mcp::decode_message(text);
  const auto* request = message ? std::get_if<mcp::Request>(&*message) : nullptr;
  if (request == nullptr) return std::nullopt;
  mcp::Answer answer{request->id, Json::object()};
  if (request->method == "server/discover") {
    *answer.result = {{"resultType", "complete"},
                      {"supportedVersions", {mcp::revision_name(mcp::Revision::k2026_07_28)}},
                      {"capabilities", {{"tools", Json::object()}}},
                      {"ttlMs", 0},
                      {"cacheScope", "public"}};
  } else if (request->method == "tools/list") {
    *answer.result = {{"resultType", "complete"},
                      {"tools",
                       {{{"name", "no_op"},
                         {"description", "Does nothing."},
                         {"inputSchema", {{"type", "object"}}}}}}};
  } else if (request->method == "tools/call") {
    *answer.result = {{"resultType", "complete"},
                      {"content", {{{"type", "text"}, {"text", "done"}}}}};
  } else {
    answer.result = tl::unexpected(mcp::RpcError{mcp::kMethodNotFound, "no such method"});
  }
  return mcp::encode(answer);
}

int serve_stdio() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const auto answer = answer_to(line);
    if (!answer) continue;
    std::cout << *answer << '\n';
    // Several at once, when more is waiting to be read.
    if (std::cin.rdbuf()->in_avail() <= 0) std::cout.flush();
  }
  return terminal::kExitOk;
}

/// One connection, as long as it lasts.
void serve_connection(tcp::socket socket) {
  boost::beast::flat_buffer buffer;
  boost::system::error_code error;
  socket.set_option(tcp::no_delay(true), error);
  while (true) {
    http::request<http::string_body> request;
    http::read(socket, buffer, request, error);
    if (error) return;
    http::response<http::string_body> response{http::status::accepted, request.version()};
    response.keep_alive(request.keep_alive());
    if (request.method() != http::verb::post) {
      response.result(http::status::method_not_allowed);
    } else if (auto answer = answer_to(request.body())) {
      response.result(http::status::ok);
      response.set(http::field::content_type, "application/json");
      response.body() = *std::move(answer);
    }
    response.prepare_payload();
    http::write(socket, response, error);
    if (error || !response.keep_alive()) return;
  }
}

int serve_http(const std::string& port_file) {
  asio::io_context context;
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  if (const auto told =
          os::write_whole_file(port_file, std::to_string(acceptor.local_endpoint().port()));
      !told) {
    fmt::print(stderr, "toolway: {}\n", told.error().message);
    return terminal::kExitInternal;
  }
  while (true) {
    tcp::socket socket(context);
    boost::system::error_code error;
    acceptor.accept(socket, error);
    if (error) continue;
    std::thread(serve_connection, std::move(socket)).detach();
  }
}

}  // namespace

int run_bench_mcp_server(const std::string& port_file) {
  return port_file.empty() ? serve_stdio() : serve_http(port_file);
}

}  // namespace toolway::cli::bench::kinds
