#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace toolway::test {

/// A proxy on loopback that tunnels one CONNECT to a server on loopback, on a thread of its own.
class ConnectProxy {
 public:
  ConnectProxy();
  ~ConnectProxy();
  ConnectProxy(const ConnectProxy&) = delete;
  ConnectProxy& operator=(const ConnectProxy&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// `HOST:PORT` of the CONNECT; empty: none came yet.
  std::string asked_for() const;

 private:
  void serve();
  void tunnel(int client, int server) const;

  std::uint16_t port_ = 0;
  int listening_ = -1;
  int ending_ = -1;  ///< an eventfd
  mutable std::mutex mutex_;
  std::string asked_for_;  // under mutex_
  std::thread serving_;
};

}  // namespace toolway::test
