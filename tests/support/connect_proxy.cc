#include "tests/support/connect_proxy.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/support/loopback_sockets.h"

namespace toolway::test {
namespace {

/// Everything up to the empty line.
std::string read_head(int socket) {
  std::string head;
  char byte = 0;
  while (!head.ends_with("\r\n\r\n") && recv(socket, &byte, 1, 0) == 1) head += byte;
  return head;
}

}  // namespace

ConnectProxy::ConnectProxy()
    : listening_(loopback::listen_on_free_port(port_)),
      ending_(eventfd(0, EFD_CLOEXEC)),
      serving_([this] { serve(); }) {}

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
  bool there = false;
  const int server = loopback::connect_to_port(port, there);
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
    if (waiting[0].revents != 0 && !loopback::pass_on(client, server)) return;
    if (waiting[1].revents != 0 && !loopback::pass_on(server, client)) return;
  }
}

}  // namespace toolway::test
