#include "cli/bench/connections/sockets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace toolway::cli::bench::connections {

Result<int> dial(const process::HostPort& where) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(where.host.c_str(), std::to_string(where.port).c_str(), &hints, &found) != 0)
    return fail(ErrorCode::kBusUnavailable, fmt::format("no such host: {}", where.host));
  const int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) == 0;
  const int error = errno;
  freeaddrinfo(found);
  if (!connected) {
    if (fd >= 0) close(fd);
    return fail(ErrorCode::kBusUnavailable,
                fmt::format("cannot connect to {}: {}", where.text(), std::strerror(error)));
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto wrote = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (wrote > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
    } else if (errno == EAGAIN) {
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      if (::poll(&ready, 1, 5000) <= 0) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool receive(int fd, std::string& into) {
  // Not an array: the program's thread-local memory is part of every thread's stack, in every
  // process.
  static thread_local std::vector<char> buffer(256UL * 1024);
  const auto got = recv(fd, buffer.data(), buffer.size(), 0);
  if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace toolway::cli::bench::connections
