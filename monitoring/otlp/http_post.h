#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "monitoring/otlp/answer.h"
#include "monitoring/otlp/cutoff.h"

namespace toolway::monitoring {

/// POSTs JSON to the receiver, over one connection that is kept. libcurl stays in the .cc file. For
/// one thread.
class HttpPost {
 public:
  explicit HttpPost(const OtlpOptions& options);
  ~HttpPost();

  /// Ends with the answer, after `request_timeout`, or at the cutoff. An answer's body is kept up
  /// to 64 KiB; redirects are not followed. Errors: kBusUnavailable, in libcurl's words.
  Result<OtlpAnswer> post(const std::string& path, const std::string& body, const Cutoff& cutoff);

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace toolway::monitoring
