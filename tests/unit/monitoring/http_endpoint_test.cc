#include "monitoring/http_endpoint.h"

#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <thread>
#include <vector>

namespace toolway::monitoring {
namespace {

using boost::asio::ip::tcp;

/// Sends raw bytes and reads until the server closes.
std::string send_raw(std::uint16_t port, const std::string& request) {
  boost::asio::io_context context;
  tcp::socket socket(context);
  socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
  // The server may hang up before it has read all that we send.
  boost::system::error_code ignored;
  boost::asio::write(socket, boost::asio::buffer(request), ignored);
  std::string response;
  boost::asio::read(socket, boost::asio::dynamic_buffer(response), ignored);
  return response;
}

std::string get(std::uint16_t port, const std::string& target) {
  return send_raw(port, "GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
}

TEST(HttpEndpoint, ServesMetricsLifeAndReadiness) {
  bool is_ready = false;
  auto endpoint =
      start_http_endpoint({.metrics = [](Exposition) { return std::string("toolway_up 1\n"); },
                           .ready = [&]() -> Result<void> {
                             if (is_ready) return {};
                             return fail(ErrorCode::kBusUnavailable, "NATS does not answer");
                           }});
  ASSERT_TRUE(endpoint) << endpoint.error().message;
  const std::uint16_t port = (*endpoint)->port();
  EXPECT_NE(get(port, "/metrics").find("toolway_up 1"), std::string::npos);
  EXPECT_NE(get(port, "/livez").find("200 OK"), std::string::npos);
  const std::string waiting = get(port, "/readyz");
  EXPECT_NE(waiting.find("503"), std::string::npos);
  EXPECT_NE(waiting.find("NATS does not answer"), std::string::npos);
  is_ready = true;
  EXPECT_NE(get(port, "/readyz").find("200 OK"), std::string::npos);
  EXPECT_NE(get(port, "/other").find("404"), std::string::npos);
  EXPECT_NE(
      send_raw(port, "POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").find("405"),
      std::string::npos);
}

TEST(HttpEndpoint, WritesTheFormatThatIsAskedFor) {
  auto endpoint = start_http_endpoint(
      {.metrics =
           [](Exposition format) {
             return std::string(format == Exposition::kOpenMetrics ? "open\n" : "text\n");
           },
       .ready = []() -> Result<void> { return {}; }});
  ASSERT_TRUE(endpoint);
  const std::string text = get((*endpoint)->port(), "/metrics");
  EXPECT_NE(text.find("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\r\n\r\ntext\n"), std::string::npos) << text;
  const std::string open =
      send_raw((*endpoint)->port(),
               "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
               "Accept: application/openmetrics-text;version=1.0.0,*/*;q=0.1\r\n\r\n");
  EXPECT_NE(
      open.find("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"),
      std::string::npos)
      << open;
  EXPECT_NE(open.find("\r\n\r\nopen\n"), std::string::npos) << open;
}

TEST(HttpEndpoint, OutlivesGarbageAndHugeHeaders) {
  auto endpoint = start_http_endpoint({.metrics = [](Exposition) { return std::string("fine\n"); },
                                       .ready = []() -> Result<void> { return {}; }});
  ASSERT_TRUE(endpoint);
  send_raw((*endpoint)->port(), std::string("\x16\x03\x01 garbage\r\n\r\n\0\0", 17));
  send_raw((*endpoint)->port(), "GET / HTTP/1.1\r\nX: " + std::string(100000, 'x') + "\r\n\r\n");
  EXPECT_NE(get((*endpoint)->port(), "/metrics").find("fine"), std::string::npos);
}

TEST(HttpEndpoint, SaysWhyItCannotListen) {
  auto first = start_http_endpoint({.metrics = [](Exposition) { return std::string(); },
                                    .ready = []() -> Result<void> { return {}; }});
  ASSERT_TRUE(first);
  const auto second = start_http_endpoint({.port = (*first)->port(),
                                           .metrics = [](Exposition) { return std::string(); },
                                           .ready = []() -> Result<void> { return {}; }});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("in use"), std::string::npos) << second.error().message;
  EXPECT_FALSE(start_http_endpoint({.host = "not an address",
                                    .metrics = [](Exposition) { return std::string(); },
                                    .ready = []() -> Result<void> { return {}; }}));
}

}  // namespace
}  // namespace toolway::monitoring
