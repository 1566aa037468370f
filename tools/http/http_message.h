#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/http/address_policy.h"

namespace toolway::tools::http {

struct HttpHeader {
  enum class Holds { kPlain, kSecret };  ///< a secret goes to the URL's own origin only
  std::string name;
  std::string value;
  Holds holds = Holds::kPlain;
};
using HttpHeaders = std::vector<HttpHeader>;

/// The first header of that name, in any case; null: none.
const std::string* find_header(const HttpHeaders& headers, std::string_view name);

/// RFC 9110 §5.5: no CR, LF, NUL or other control but a tab.
bool valid_header_value(std::string_view value);

/// Zero is none.
struct HttpLimits {
  std::chrono::milliseconds connect{10'000};  ///< look-up, TCP and TLS
  std::chrono::milliseconds first_byte{
      60'000};                              ///< from the connection to the answer's whole header
  std::chrono::milliseconds idle{60'000};   ///< between pieces of the body
  std::chrono::milliseconds total{0};       ///< of everything, redirects included
  std::size_t max_body_bytes = 64UL << 20;  ///< unpacked
  std::size_t max_header_bytes = 64UL
                                 << 10;  ///< of all headers, those of 1xx and trailers included
};

struct HttpRedirects {
  enum class Downgrade { kRefused, kAllowed };  ///< from https to http
  unsigned most = 0;                            ///< 0: a redirect is an answer like any other
  Downgrade downgrade = Downgrade::kRefused;
  std::vector<std::string> hosts{};  ///< that may be led to: names, `*.name`, `*`; empty: any
};

/// The environment's http_proxy and the like mean nothing here.
struct HttpProxy {
  std::string url{};  ///< http, https or socks5h; empty: none
  std::vector<std::string>
      except{};  ///< host names, `.example.com` for all below one, addresses, blocks, `*`
};

/// One request, as the caller means it. A proxy's address is the operator's choice and is not
/// held to `addresses`; neither is what the proxy makes of a host name.
struct HttpRequest {
  /// Whether the request may reach the server twice when a kept connection breaks.
  enum class Replay { kIdempotentMethods, kAllowed };

  std::string method = "GET";
  std::string url;
  HttpHeaders headers{};
  std::optional<std::string> body{};
  std::shared_ptr<const AddressPolicy> addresses = std::make_shared<const AddressPolicy>();
  HttpProxy proxy{};
  std::string ca_file{};  ///< PEM; empty: the system's. Certificates are always verified
  HttpLimits limits{};
  HttpRedirects redirects{};
  Replay replay = Replay::kIdempotentMethods;
};

/// What comes before an answer's body; 1xx are left out.
struct HttpHead {
  int status = 0;
  HttpHeaders headers{};
  std::string url{};  ///< that answered, after redirects
};

/// Takes an answer as it comes, on the thread that called `run`. What is slow here makes the
/// server wait, not the memory grow.
class HttpReceiver {
 public:
  enum class Want { kMore, kNoMore };  ///< kNoMore ends the transfer: HttpEnd::Why::kEnough
  virtual ~HttpReceiver() = default;
  virtual Want on_head(const HttpHead& head) = 0;
  /// A piece of the body, unpacked.
  virtual Want on_body(std::string_view piece) = 0;
};

/// How a request ended.
struct HttpEnd {
  enum class Why {
    kComplete,         ///< the whole answer was received, whatever its status
    kEnough,           ///< the receiver wanted no more
    kCancelled,        ///< by the stop token, or the engine ends
    kInvalidRequest,   ///< the URL, the method or a header cannot be sent
    kAddressRefused,   ///< by the address policy
    kNotResolved,      ///< no address for the host, or for the proxy
    kNotConnected,     ///< refused, unreachable, or the proxy said no
    kTlsFailed,        ///< no TLS, or a certificate that does not verify
    kTimedOut,         ///< `limit` says which
    kConnectionLost,   ///< before the answer's header was there
    kTooLarge,         ///< the header or the body
    kRedirectRefused,  ///< too many, to a place that is not allowed, or with what may not be sent
                       ///< there
    kBadResponse,      ///< no HTTP, cut off, or not encoded as it says
    kInternal,
  };
  enum class Limit { kNone, kConnect, kFirstByte, kIdle, kTotal };
  enum class Reached { kNothing, kServer, kHead };  ///< how far it came: kNothing: nothing was sent
  /// What is wrong with the server's certificate, as far as is known.
  enum class Certificate { kNotSaid, kUntrusted, kExpired, kOtherHost };

  Why why = Why::kComplete;
  std::string message{};  ///< in words, without path, query, headers and body
  Limit limit = Limit::kNone;
  Reached reached = Reached::kNothing;
  Certificate certificate = Certificate::kNotSaid;
  unsigned proxy_status = 0;  ///< a proxy's answer to CONNECT when it was a refusal; 0: none came
};

}  // namespace toolway::tools::http
