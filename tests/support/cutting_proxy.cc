#include "tests/support/cutting_proxy.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "tests/support/loopback_sockets.h"

namespace toolway::test {

CuttingProxy::CuttingProxy(std::uint16_t server_port)
    : server_port_(server_port),
      listening_(loopback::listen_on_free_port(port_)),
      ending_(eventfd(0, EFD_CLOEXEC)),
      serving_([this] { serve(); }) {}

CuttingProxy::~CuttingProxy() {
  eventfd_write(ending_, 1);
  serving_.join();
  close(listening_);
  close(ending_);
}

void CuttingProxy::cut_after(std::string words) {
  const std::lock_guard lock(mutex_);
  cut_after_ = std::move(words);
}

int CuttingProxy::cuts() const {
  const std::lock_guard lock(mutex_);
  return cuts_;
}

void CuttingProxy::serve() {
  for (;;) {
    std::array<pollfd, 2> waiting{{{listening_, POLLIN, 0}, {ending_, POLLIN, 0}}};
    poll(waiting.data(), waiting.size(), -1);
    if (waiting[1].revents != 0) return;
    const int client = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    bool there = false;
    const int server = loopback::connect_to_port(server_port_, there);
    if (there) tunnel(client, server);
    close(server);
    close(client);
  }
}

void CuttingProxy::tunnel(int client, int server) {
  for (;;) {
    std::array<pollfd, 3> waiting{{{client, POLLIN, 0}, {server, POLLIN, 0}, {ending_, POLLIN, 0}}};
    poll(waiting.data(), waiting.size(), -1);
    if (waiting[2].revents != 0) return;
    if (waiting[0].revents != 0 && !loopback::pass_on(client, server)) return;
    if (waiting[1].revents != 0 && !pass_on_to_client(server, client)) return;
  }
}

bool CuttingProxy::pass_on_to_client(int server, int client) {
  std::array<char, 16384> buffer;
  const auto size = recv(server, buffer.data(), buffer.size(), 0);
  if (size <= 0) return false;
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
  const std::lock_guard lock(mutex_);
  const auto at = cut_after_.empty() ? bytes.npos : bytes.find(cut_after_);
  if (at == bytes.npos) return loopback::send_all(client, bytes);
  loopback::send_all(client, bytes.substr(0, at + cut_after_.size()));
  cut_after_.clear();
  ++cuts_;
  return false;
}

}  // namespace toolway::test
