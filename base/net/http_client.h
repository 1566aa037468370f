#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

/// The blocking HTTP client, for what asks a server now and then: one thread, one request at a
/// time. Tools' calls take `tools::http::HttpEngine` instead.
namespace toolway::net {

struct HttpRequest {
  std::string url;                         ///< http or https
  std::vector<std::string> headers{};      ///< lines, `Name: value`
  std::optional<std::string_view> body{};  ///< POST with these bytes; nothing: GET
  std::string bearer{};      ///< a secret; empty: none. Goes to the URL's own host only
  std::string user_agent{};  ///< empty: toolway/VERSION
  std::string ca_file{};     ///< certificates to trust instead of the system's; empty: those
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds timeout{30'000};  ///< of everything
  std::size_t max_bytes = 0;                  ///< of the answer's body, unpacked
  enum class Beyond { kFail, kDiscard };
  Beyond beyond = Beyond::kFail;      ///< what becomes of an answer with more
  bool unpack = false;                ///< asks for a compressed answer
  bool redirects = false;             ///< follows 5, none of which leads from https to plain http
  bool proxy_of_environment = false;  ///< false: connects directly, whatever proxy it names
};

struct HttpAnswer {
  unsigned status = 0;  ///< 0: no answer came
  std::optional<std::chrono::seconds> retry_after{};
  std::string body{};
  std::string etag{};
};

/// Sends requests one by one, over connections that are kept between them. Blocks; for one thread
/// at a time. Certificates are verified.
class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Ends within 50 ms once `stopped` says so, which is asked on this thread. Errors, in
  /// libcurl's words, which hold neither the URL nor anything that was sent: kShuttingDown
  /// (`stopped`), kPayloadTooLarge, kTimeout, kInvalidRequest (the URL), kInternal (no memory for
  /// libcurl), kNotFound (anything else that keeps an answer from coming).
  Result<HttpAnswer> send(const HttpRequest& request, const std::function<bool()>& stopped);

 private:
  struct Handles;
  const std::unique_ptr<Handles> handles_;
};

}  // namespace toolway::net
