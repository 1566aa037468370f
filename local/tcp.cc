#include "local/tcp.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace toolway::local {
namespace {

class Socket {
 public:
  Socket() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool connected(const Socket& socket, std::uint16_t port) {
  const auto address = loopback(port);
  return connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// Sends `requests` to the nats-server on loopback `port`, and passes its answers to `enough`,
/// until that returns a result. False when that takes longer than `timeout`.
bool ask(std::uint16_t port, const std::string& requests, std::chrono::milliseconds timeout,
         const NatsUser& user,
         const std::function<std::optional<bool>(const std::string&)>& enough) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const Socket socket;
  if (!connected(socket, port)) return false;
  const auto credentials =
      user.name.empty() ? "" : fmt::format(R"(,"user":"{}","pass":"{}")", user.name, user.password);
  const auto said = fmt::format(
      "CONNECT {{\"verbose\":false,\"headers\":true,\"no_responders\":true{}}}\r\n"
      "SUB _INBOX.toolway.ready 1\r\n{}",
      credentials, requests);
  if (send(socket.fd(), said.data(), said.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(said.size()))
    return false;
  std::string answer;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd ready{.fd = socket.fd(), .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) return false;
    char buffer[8192];
    const auto got = recv(socket.fd(), buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    answer.append(buffer, static_cast<std::size_t>(got));
    if (const auto verdict = enough(answer)) return *verdict;
  }
}

}  // namespace

Result<std::uint16_t> free_port() {
  const Socket socket;
  auto address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return fail(ErrorCode::kInternal,
                fmt::format("no free port on 127.0.0.1: {}", std::strerror(errno)));
  return ntohs(address.sin_port);
}

bool port_taken(std::uint16_t port) {
  const Socket socket;
  return connected(socket, port);
}

bool jetstream_answers(std::uint16_t port, std::chrono::milliseconds timeout,
                       const NatsUser& user) {
  const auto enough = [](const std::string& answer) -> std::optional<bool> {
    // 503 without a body while no server has JetStream yet; an error while it starts.
    if (answer.find("io.nats.jetstream.api.v1.account_info_response") != std::string::npos)
      return answer.find("\"error\"") == std::string::npos;
    if (answer.find("NATS/1.0 503") != std::string::npos) return false;
    return std::nullopt;
  };
  return ask(port, "PUB $JS.API.INFO _INBOX.toolway.ready 0\r\n\r\n", timeout, user, enough);
}

bool streams_answer(std::uint16_t port, const std::vector<std::string>& streams,
                    std::chrono::milliseconds timeout, const NatsUser& user) {
  std::string request;
  for (const auto& stream : streams)
    request += fmt::format("PUB $JS.API.STREAM.INFO.{} _INBOX.toolway.ready 0\r\n\r\n", stream);
  const auto enough = [&streams](const std::string& answer) -> std::optional<bool> {
    constexpr std::string_view kAnswer = "io.nats.jetstream.api.v1.stream_info_response";
    std::size_t count = 0;
    for (auto at = answer.find(kAnswer); at != std::string::npos; at = answer.find(kAnswer, at + 1))
      ++count;
    if (count >= streams.size()) return true;
    if (answer.find("NATS/1.0 503") != std::string::npos) return false;
    return std::nullopt;
  };
  return ask(port, request, timeout, user, enough);
}

}  // namespace toolway::local
