#pragma once

#include <curl/curl.h>

#include <chrono>
#include <cstdint>

#include "base/net/curl_handles.h"
#include "base/os/file_descriptor.h"
#include "base/os/wake_fd.h"

namespace toolway::tools::http {

/// libcurl's multi interface over epoll: a turn costs what has come, not what is in flight
/// (libcurl's own curl_multi_poll asks about every socket, and curl_multi_perform looks at every
/// transfer, each time). Of one thread, except `wake`.
class CurlSockets {
 public:
  CurlSockets();
  CurlSockets(const CurlSockets&) = delete;
  CurlSockets& operator=(const CurlSockets&) = delete;

  /// False: the system has no memory or no descriptors for it.
  explicit operator bool() const { return multi_ && epoll_ && timer_ && wake_; }
  CURLM* multi() const { return multi_.get(); }

  /// Waits for sockets, libcurl's timers, `wake`, or `longest`, and has libcurl act on what came.
  void turn(std::chrono::milliseconds longest);
  /// Ends the turn, or the next one. From any thread.
  void wake() const { wake_.call(); }

 private:
  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* of_socket);
  static int on_timer(CURLM* multi, long in_ms, void* self);
  void watch(int operation, int file, std::uint32_t events) const;
  void take(int file, std::uint32_t events);
  void act(curl_socket_t socket, int events) const;

  // libcurl calls back while multi_ ends.
  const os::FileDescriptor epoll_;
  const os::FileDescriptor timer_;  ///< libcurl's next
  const os::WakeFd wake_;
  unsigned at_once_ = 0;  ///< how often in a row, with nothing else, libcurl wanted to act at once
  const net::MultiHandle multi_;
};

}  // namespace toolway::tools::http
