#include "cli/talk/model_connection.h"

#include <fmt/format.h>

#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace toolway::cli::talk {
namespace {

namespace http = boost::beast::http;

constexpr std::uint64_t kMaxBodyBytes = 64UL << 20;

}  // namespace

void serve_model_connection(boost::asio::ip::tcp::socket& socket, const ModelAnswers& answers) {
  boost::beast::flat_buffer buffer;
  boost::system::error_code error;
  socket.set_option(boost::asio::ip::tcp::no_delay(true), error);
  http::request_parser<http::string_body> parser;
  parser.body_limit(kMaxBodyBytes);
  http::read(socket, buffer, parser, error);
  if (error) return;
  const auto send = [&](std::string_view bytes) {
    boost::asio::write(socket, boost::asio::buffer(bytes.data(), bytes.size()), error);
  };
  const chat::providers::AnswerSink sink{
      .head =
          [&](int status, std::string_view type) {
            send(fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nConnection: close\r\n\r\n",
                             status, status == 200 ? "OK" : "Error", type));
          },
      .body = send};
  const auto& request = parser.get();
  const auto api = chat::providers::api_of_path({request.target().data(), request.target().size()});
  if (api && request.method() == http::verb::post) {
    answers(*api, request.body(), sink);
  } else {
    sink.head(404, "text/plain");
    sink.body("POST /v1/chat/completions, /v1/responses or /v1/messages\n");
  }
  socket.shutdown(boost::asio::ip::tcp::socket::shutdown_send, error);
}

}  // namespace toolway::cli::talk
