#include "tests/support/connect_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace toolway::test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

/// Everything up to the empty line.
std::string read_head(int socket) {
  std::string head;
  char byte = 0;
  while (!head.ends_with("\r\n\r\n") && recv(socket, &byte, 1, 0) == 1) head += byte;
  return head;
}

bool pass_on(int from, int to) {
  std::array<char, 16384> bytes;
  const auto size = recv(from, bytes.data(), bytes.size(), 0);
  return size > 0 && send(to, bytes.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL) == size;
}

}  // namespace

ConnectProxy::ConnectProxy()
    : listening_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), ending_(eventfd(0, EFD_CLOEXEC)) {
  auto address = loopback(0);
  socklen_t size = sizeof(address);
  bind(listening_, reinterpret_cast<sockaddr*>(&address), size);
  listen(listening_, 4);
  getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  serving_ = std::thread([this] { serve(); });
}

ConnectProxy::~ConnectProxy() {
  eventfd_write(ending_, 1);
  serving_.join();
  close(listening_);
  close(ending_);
}

std::string ConnectProxy::asked_for() const {
  const std::lock_guard lock(mutex_);
  return asked_for_;
}

void ConnectProxy::serve() {
  std::array<pollfd, 2> waiting{{{listening_, POLLIN, 0}, {ending_, POLLIN, 0}}};
  poll(waiting.data(), waiting.size(), -1);
  if (waiting[1].revents != 0) return;
  const int client = accept(listening_, nullptr, nullptr);
  const auto head = read_head(client);
  const auto begin = head.find(' ') + 1;
  const auto where = head.substr(begin, head.find(' ', begin) - begin);
  {
    const std::lock_guard lock(mutex_);
    asked_for_ = where;
  }
  const auto port = static_cast<std::uint16_t>(std::stoi(where.substr(where.rfind(':') + 1)));
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = loopback(port);
  const bool there =
      connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  const std::string answer =
      there ? "HTTP/1.1 200 Connected\r\n\r\n" : "HTTP/1.1 502 Bad Gateway\r\n\r\n";
  send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
  if (there) tunnel(client, server);
  close(server);
  close(client);
}

void ConnectProxy::tunnel(int client, int server) const {
  for (;;) {
    std::array<pollfd, 3> waiting{{{client, POLLIN, 0}, {server, POLLIN, 0}, {ending_, POLLIN, 0}}};
    poll(waiting.data(), waiting.size(), -1);
    if (waiting[2].revents != 0) return;
    if (waiting[0].revents != 0 && !pass_on(client, server)) return;
    if (waiting[1].revents != 0 && !pass_on(server, client)) return;
  }
}

}  // namespace toolway::test
