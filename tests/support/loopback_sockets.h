#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string_view>

/// What the proxies of tests do with sockets.
namespace toolway::test::loopback {

inline sockaddr_in address(std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  result.sin_port = htons(port);
  return result;
}

/// A listening socket, and its port.
inline int listen_on_free_port(std::uint16_t& port) {
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto own = address(0);
  socklen_t size = sizeof(own);
  bind(listening, reinterpret_cast<sockaddr*>(&own), size);
  listen(listening, 4);
  getsockname(listening, reinterpret_cast<sockaddr*>(&own), &size);
  port = ntohs(own.sin_port);
  return listening;
}

/// A socket, and whether it is connected.
inline int connect_to_port(std::uint16_t port, bool& connected) {
  const int result = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto peer = address(port);
  connected = connect(result, reinterpret_cast<const sockaddr*>(&peer), sizeof(peer)) == 0;
  return result;
}

inline bool send_all(int to, std::string_view bytes) {
  return send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

inline bool pass_on(int from, int to) {
  std::array<char, 16384> bytes;
  const auto size = recv(from, bytes.data(), bytes.size(), 0);
  return size > 0 && send_all(to, {bytes.data(), static_cast<std::size_t>(size)});
}

}  // namespace toolway::test::loopback
