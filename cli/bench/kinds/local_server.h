#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace toolway::cli::bench::kinds {

/// An HTTP server on loopback, on a thread of its own, for the bench: answers every request with
/// `{}`, and keeps connections. It can hold its answers back until `release`.
class LocalServer {
 public:
  static Result<std::unique_ptr<LocalServer>> start();
  virtual ~LocalServer() = default;
  /// `http://127.0.0.1:PORT/`
  virtual std::string url() const = 0;
  /// From now on answers wait for `release`.
  virtual void hold() = 0;
  virtual void release() = 0;
  /// Requests whose answers wait.
  virtual unsigned held() const = 0;
};

}  // namespace toolway::cli::bench::kinds
