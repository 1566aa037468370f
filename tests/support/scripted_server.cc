#include "tests/support/scripted_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace toolway::test {

ScriptedConnection::ScriptedConnection(int socket, ssl_ctx_st* tls)
    : socket_(socket), tls_(nullptr, SSL_free) {
  if (tls == nullptr) return;
  tls_.reset(SSL_new(tls));
  SSL_set_fd(tls_.get(), socket_);
}

ScriptedConnection::~ScriptedConnection() = default;

long ScriptedConnection::read_some(char* to, std::size_t size) {
  return tls_ ? SSL_read(tls_.get(), to, static_cast<int>(size)) : recv(socket_, to, size, 0);
}

std::optional<std::string> ScriptedConnection::request() {
  if (tls_ && SSL_is_init_finished(tls_.get()) == 0 && SSL_accept(tls_.get()) != 1)
    return std::nullopt;
  for (;;) {
    const auto end = buffer_.find("\r\n\r\n");
    if (end != std::string::npos) {
      std::string lowered = buffer_.substr(0, end + 2);
      std::transform(lowered.begin(), lowered.end(), lowered.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      const auto length = lowered.find("\r\ncontent-length:");
      const std::size_t body = length == std::string::npos
                                   ? 0
                                   : std::strtoul(lowered.c_str() + length + 17, nullptr, 10);
      if (buffer_.size() >= end + 4 + body) {
        std::string whole = buffer_.substr(0, end + 4 + body);
        buffer_.erase(0, whole.size());
        return whole;
      }
    }
    char piece[16384];
    const auto read = read_some(piece, sizeof piece);
    if (read <= 0) return std::nullopt;
    buffer_.append(piece, static_cast<std::size_t>(read));
  }
}

bool ScriptedConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent =
        tls_
            ? static_cast<long>(SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size())))
            : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void ScriptedConnection::wait_for_close() {
  char ignored[256];
  while (read_some(ignored, sizeof ignored) > 0) {
  }
}

void ScriptedConnection::cut() { shutdown(socket_, SHUT_RDWR); }

void ScriptedConnection::reset() {
  const linger hard{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
}

ScriptedServer::ScriptedServer(Answer answer) : ScriptedServer(std::move(answer), Options{}) {}

ScriptedServer::ScriptedServer(Answer answer, Options options)
    : answer_(std::move(answer)), options_(std::move(options)) {
  listening_ = socket(options_.ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_storage address{};
  socklen_t size = 0;
  if (options_.ipv6) {
    auto& six = reinterpret_cast<sockaddr_in6&>(address);
    six.sin6_family = AF_INET6;
    six.sin6_addr = in6addr_loopback;
    size = sizeof six;
  } else {
    auto& four = reinterpret_cast<sockaddr_in&>(address);
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    size = sizeof four;
  }
  if (listening_ < 0 || bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listening_, 1024) != 0) {
    throw std::runtime_error("a test's server cannot listen on loopback");
  }
  getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(options_.ipv6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                              : reinterpret_cast<sockaddr_in&>(address).sin_port);
  accepting_ = std::thread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
  ending_ = true;
  shutdown(listening_, SHUT_RDWR);
  {
    const std::scoped_lock lock(mutex_);
    for (const int one : sockets_) shutdown(one, SHUT_RDWR);
  }
  accepting_.join();
  for (auto& thread : threads_) thread.join();
  close(listening_);
}

void ScriptedServer::accept_all() {
  while (!ending_) {
    const int accepted = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted < 0) continue;
    const int on = 1;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ++connections_;
    const std::scoped_lock lock(mutex_);
    if (ending_) {
      close(accepted);
      return;
    }
    sockets_.push_back(accepted);
    threads_.emplace_back([this, accepted] { serve(accepted); });
  }
}

void ScriptedServer::serve(int socket) {
  sigset_t broken_pipe;  // of OpenSSL, which does not know MSG_NOSIGNAL
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  {
    ScriptedConnection connection(socket, options_.tls.get());
    while (const auto request = connection.request()) {
      {
        const std::scoped_lock lock(mutex_);
        requests_.push_back(*request);
      }
      if (!answer_(connection, *request)) break;
    }
  }
  const std::scoped_lock lock(mutex_);
  std::erase(sockets_, socket);
  close(socket);
}

std::string ScriptedServer::url(const std::string& path) const {
  return fmt::format("{}://{}:{}{}", options_.tls ? "https" : "http",
                     options_.ipv6 ? "[::1]" : "127.0.0.1", port_, path);
}

std::vector<std::string> ScriptedServer::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

std::string ScriptedServer::ok(std::string_view body, std::string_view headers) {
  return status(200, headers, body);
}

std::string ScriptedServer::status(int code, std::string_view headers, std::string_view body) {
  return fmt::format("HTTP/1.1 {} x\r\n{}Content-Length: {}\r\n\r\n{}", code, headers, body.size(),
                     body);
}

}  // namespace toolway::test
