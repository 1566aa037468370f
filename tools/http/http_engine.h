#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "tools/http/http_message.h"

namespace toolway::tools::http {

struct HttpEngineOptions {
  std::size_t max_connections = 0;         ///< at once, further requests wait; 0: no limit
  std::size_t max_idle_connections = 256;  ///< kept for the next request
  /// The address of `host`, instead of the system's resolver; nothing: ask that. Thread-safe.
  std::function<std::optional<IpAddress>(const std::string& host)> resolve{};
};

/// Speaks HTTP/1.1 for a whole process: one thread of libcurl's multi interface, however many
/// requests are in flight; connections are kept and shared. Thread-safe.
class HttpEngine {
 public:
  /// Errors: kInternal (libcurl, or no thread).
  static Result<std::shared_ptr<HttpEngine>> start(HttpEngineOptions options = {});
  virtual ~HttpEngine() = default;

  /// Sends `request` and hands the answer to `receiver`, on this thread, which blocks until the
  /// end. Returns at once when `stop` is requested. Content-Encoding is undone. Redirects are
  /// followed as the request says; each address is checked when it is connected to.
  virtual HttpEnd run(const HttpRequest& request, HttpReceiver& receiver, std::stop_token stop) = 0;
};

}  // namespace toolway::tools::http
