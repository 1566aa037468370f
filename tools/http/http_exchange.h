#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "tools/http/http_message.h"
#include "tools/http/http_transfer.h"

namespace toolway::tools::http {

/// What carries transfers; the engine, to the thread that called.
class HttpCarrier {
 public:
  virtual ~HttpCarrier() = default;
  virtual void carry(std::shared_ptr<HttpTransfer> transfer) = 0;
  /// No call waits for it any longer.
  virtual void drop(std::shared_ptr<HttpTransfer> transfer) = 0;
  /// There is room for more of its body.
  virtual void go_on(std::shared_ptr<HttpTransfer> transfer) = 0;
  virtual std::optional<IpAddress> resolve(const std::string& host) const = 0;
};

/// Runs a request to its end, hop by hop, on the calling thread, which also keeps its time limits.
HttpEnd run_exchange(HttpCarrier& carrier, const HttpRequest& request, HttpReceiver& receiver,
                     std::stop_token stop);

}  // namespace toolway::tools::http
