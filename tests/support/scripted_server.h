#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

struct ssl_ctx_st;
struct ssl_st;

namespace toolway::test {

/// One connection of a `ScriptedServer`, on a thread of its own.
class ScriptedConnection {
 public:
  ScriptedConnection(int socket, ssl_ctx_st* tls);
  ~ScriptedConnection();
  ScriptedConnection(const ScriptedConnection&) = delete;
  ScriptedConnection& operator=(const ScriptedConnection&) = delete;

  /// The next request, header and body (by Content-Length); nothing: the other side is gone.
  std::optional<std::string> request();
  /// False: the other side is gone.
  bool send(std::string_view bytes);
  /// Waits until the other side closes, or the server ends.
  void wait_for_close();
  void cut();
  /// With a reset, not with an end.
  void reset();

 private:
  long read_some(char* to, std::size_t size);
  const int socket_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> tls_;
  std::string buffer_;
};

/// Answers on loopback with bytes that the test chose; many connections at once. Remembers what it
/// was asked.
class ScriptedServer {
 public:
  /// Answers one request of a connection; false closes it.
  using Answer = std::function<bool(ScriptedConnection&, const std::string& request)>;
  struct Options {
    bool ipv6 = false;
    std::shared_ptr<ssl_ctx_st> tls{};  ///< null: none
  };
  explicit ScriptedServer(Answer answer);
  ScriptedServer(Answer answer, Options options);
  ~ScriptedServer();

  std::uint16_t port() const { return port_; }
  /// `http://127.0.0.1:PORT/path`, or as it was started.
  std::string url(const std::string& path = "/") const;
  std::vector<std::string> requests() const;
  unsigned connections() const { return connections_; }

  /// An answer that keeps the connection.
  static std::string ok(std::string_view body, std::string_view headers = "");
  static std::string status(int code, std::string_view headers = "", std::string_view body = "");

 private:
  void accept_all();
  void serve(int socket);

  const Answer answer_;
  const Options options_;
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_ = false;
  std::atomic<unsigned> connections_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;  // under mutex_
  std::vector<int> sockets_;           // under mutex_
  std::vector<std::thread> threads_;   // of accept_all, until it ends
  std::thread accepting_;
};

}  // namespace toolway::test
