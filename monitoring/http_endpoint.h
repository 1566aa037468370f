#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "monitoring/metrics.h"

namespace toolway::monitoring {

struct HttpEndpointOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;                          ///< 0: chosen by the kernel
  std::function<std::string(Exposition)> metrics;  ///< the body of /metrics
  std::function<Result<void>()> ready;             ///< /readyz: 200, or 503 with the message
};

/// `/metrics`, `/livez` and `/readyz` of a process that serves nothing else. One
/// thread of its own, which also runs the two functions. Ends when destroyed.
class HttpEndpoint {
 public:
  virtual ~HttpEndpoint() = default;
  virtual std::uint16_t port() const = 0;
};

/// Errors: kInvalidRequest when host:port cannot be bound, with the system's words.
Result<std::unique_ptr<HttpEndpoint>> start_http_endpoint(HttpEndpointOptions options);

}  // namespace toolway::monitoring
