#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace toolway::test {

/// A proxy on loopback before a server on loopback, one connection after the other, on a thread of
/// its own. It can break a connection in the middle of what the server says.
class CuttingProxy {
 public:
  explicit CuttingProxy(std::uint16_t server_port);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  std::uint16_t port() const { return port_; }
  /// The connection that first brings `words` from the server ends right after them.
  void cut_after(std::string words);
  int cuts() const;

 private:
  void serve();
  void tunnel(int client, int server);
  bool pass_on_to_client(int server, int client);

  const std::uint16_t server_port_;
  std::uint16_t port_ = 0;
  int listening_ = -1;
  int ending_ = -1;  ///< an eventfd
  mutable std::mutex mutex_;
  std::string cut_after_;  // under mutex_; empty: none
  int cuts_ = 0;           // under mutex_
  std::thread serving_;
};

}  // namespace toolway::test
