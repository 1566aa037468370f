#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "base/json.h"

namespace toolway::test {

/// A request as it is sent; a POST's body is JSON unless `headers`, each with its line end, say
/// otherwise.
inline std::string http_request(const std::string& line, const std::string& body = "",
                                const std::string& headers = "") {
  const bool typed = line.starts_with("POST ") && headers.find("content-type") == std::string::npos;
  return line + " HTTP/1.1\r\nhost: localhost\r\n" + headers +
         (typed ? "content-type: application/json\r\n" : "") +
         (body.empty() ? "" : "content-length: " + std::to_string(body.size()) + "\r\n") + "\r\n" +
         body;
}
/// Of a response.
inline int status(const std::string& response) {
  return response.size() > 12 ? std::stoi(response.substr(9, 3)) : 0;
}
inline Json body(const std::string& response) {
  return Json::parse(response.substr(response.find("\r\n\r\n") + 4));
}

/// A client of one connection that sends exactly the bytes it is given.
class RawClient {
 public:
  /// `receive_buffer`: bytes that the kernel keeps of what is not read; 0: as it likes, several MB.
  /// The kernel's memory for all of TCP is bounded: hundreds of clients that do not read would
  /// stall every connection of the machine.
  explicit RawClient(std::uint16_t port, int receive_buffer = 0)
      : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer != 0)
      ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // A kernel that found a full window asks again after 200 ms, 400 ms and so on, up to 120 s.
    timeval patience{130, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    EXPECT_EQ(0, ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)));
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { ::close(fd_); }

  /// From now on the kernel keeps up to about `bytes` of what is not read.
  void widen(int bytes) { ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)); }
  void send(const std::string& bytes) {
    EXPECT_EQ(static_cast<ssize_t>(bytes.size()),
              ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  /// As much as is taken.
  void send_some(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const auto sent =
          ::send(fd_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent <= 0) return;
      at += static_cast<std::size_t>(sent);
    }
  }
  /// Sends what the connection takes of it; whether that was all.
  bool try_send(const std::string& bytes) {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  /// Says that nothing more follows; what comes can still be read.
  void half_close() { ::shutdown(fd_, SHUT_WR); }
  /// Whether an answer, or the end, comes within `ms`.
  bool readable(int ms) {
    pollfd waits{.fd = fd_, .events = POLLIN, .revents = 0};
    return ::poll(&waits, 1, ms) > 0;
  }
  /// Everything that comes until the other side closes.
  std::string rest() {
    while (fill()) {
    }
    return take(buffer_.size());
  }
  /// All up to and with `end`; what came when the connection ended before.
  std::string read_until(const std::string& end) {
    std::size_t at;
    while ((at = buffer_.find(end)) == std::string::npos && fill()) {
    }
    return take(at == std::string::npos ? buffer_.size() : at + end.size());
  }
  /// One response with its head, as content-length says.
  std::string response() {
    std::string head = read_until("\r\n\r\n");
    const auto at = head.find("content-length: ");
    if (at == std::string::npos) return head;
    const std::size_t size = std::stoul(head.substr(at + 16));
    while (buffer_.size() < size && fill()) {
    }
    return head + take(size);
  }

 private:
  bool fill() {
    char chunk[4096];
    const ssize_t got = ::recv(fd_, chunk, sizeof(chunk), 0);
    if (got > 0) buffer_.append(chunk, static_cast<std::size_t>(got));
    return got > 0;
  }
  std::string take(std::size_t size) {
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, taken.size());
    return taken;
  }
  int fd_;
  std::string buffer_;
};

/// The answer to a request over a connection of its own.
inline std::string ask(std::uint16_t port, const std::string& line, const std::string& body = "",
                       const std::string& headers = "") {
  RawClient client(port);
  client.send(http_request(line, body, headers));
  return client.response();
}

}  // namespace toolway::test
