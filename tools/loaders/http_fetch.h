#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace toolway::tools {

struct FetchRequest {
  std::string url;     ///< http or https
  std::string etag;    ///< of what is known already; empty: nothing
  std::string bearer;  ///< a secret; empty: none. Goes to the URL's own host only
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds timeout{30'000};  ///< of everything
  std::size_t max_bytes = 16 * 1024 * 1024;   ///< of the body, unpacked
};

struct Fetched {
  long status = 0;
  std::string body;
  std::string etag;
  std::optional<std::chrono::milliseconds> retry_after;
};

/// One connection to an endpoint, kept between requests; TLS certificates are
/// verified. One thread at a time.
class HttpFetcher {
 public:
  HttpFetcher();
  ~HttpFetcher();
  HttpFetcher(const HttpFetcher&) = delete;
  HttpFetcher& operator=(const HttpFetcher&) = delete;

  /// GET. Ends soon when `stop` is requested. Errors: kTimeout, kPayloadTooLarge,
  /// kShuttingDown (stop), kInvalidRequest (the URL), kNotFound (anything else
  /// that keeps an answer from coming); none of them holds the token or the query.
  Result<Fetched> get(const FetchRequest& request, std::stop_token stop);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace toolway::tools
