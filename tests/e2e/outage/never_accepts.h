#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace toolway::cli {

/// Listens on a loopback port and accepts nothing; its queue is full, so that a client that
/// connects waits.
class NeverAccepts {
 public:
  explicit NeverAccepts(std::uint16_t port) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    if (bind(listener_, where, sizeof address) != 0 || listen(listener_, 0) != 0)
      throw std::runtime_error("cannot listen on the port of the proxy");
    for (int& client : queued_) {
      client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      if (connect(client, where, sizeof address) != 0 && errno != EINPROGRESS)
        throw std::runtime_error("cannot fill the queue");
    }
  }
  ~NeverAccepts() {
    for (const int client : queued_) close(client);
    close(listener_);
  }
  NeverAccepts(const NeverAccepts&) = delete;
  NeverAccepts& operator=(const NeverAccepts&) = delete;

 private:
  int listener_ = -1;
  std::array<int, 3> queued_{};
};

}  // namespace toolway::cli
