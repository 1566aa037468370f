#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/trace_context.h"
#include "cli/client/reach.h"
#include "tools/http/http_engine.h"
#include "tools/http/http_message.h"

namespace toolway::cli::client {

struct HttpAnswer {
  int status = 0;
  std::string body;
  /// The body as JSON; null when it is not JSON.
  OrderedJson json() const;
  bool ok() const { return status >= 200 && status < 300; }
};

struct ClientOptions {
  std::string url = "http://127.0.0.1:8080";
  std::string user{};                        ///< X-Toolway-User; empty: none
  std::chrono::milliseconds timeout{70000};  ///< for one answer: `Prefer: wait` may take 60 s
  /// After which a server that has not begun to answer is asked whether it is there at all, and
  /// given up when it does not answer that either; 0: `timeout` alone.
  std::chrono::milliseconds patience{0};
  Reach reach{};
  TraceContext trace{};     ///< the span that asks; of no trace: none
  std::string on_behalf{};  ///< the token of a turn, in whose name it is asked; a secret
  /// What several clients share; null: a thread of its own.
  std::shared_ptr<tools::http::HttpEngine> engine{};
  std::stop_token stop{};  ///< ends what is being asked, as if no server answered
};

/// A gateway's client for one thread: connections are kept between requests. Certificates are
/// always verified, and redirects are answers like any other.
class HttpClient {
 public:
  using Headers = std::map<std::string, std::string>;

  /// Reads the files that `options` name. Errors: kInvalidRequest (a URL, a file, a token that
  /// would travel in plain text), kInternal (no thread).
  static Result<std::unique_ptr<HttpClient>> create(ClientOptions options);
  virtual ~HttpClient() = default;

  /// A POST whose answer is taken as it comes.
  struct Post {
    std::string target;
    std::string body;
    Headers headers{};
    std::chrono::milliseconds first_byte;  ///< how long the answer may take to begin
    std::chrono::milliseconds silence;     ///< and then be silent
    std::stop_token stop{};                ///< ends it; that of the options does not
  };

  /// Errors: kBusUnavailable when no server answers there, or none that can be trusted; kTimeout.
  virtual Result<HttpAnswer> request(std::string_view method, std::string_view target,
                                     std::string body = {}, const Headers& headers = {}) = 0;

  /// Follows a stream of what `Accept` names, of events unless `headers` have it: `opened` once its
  /// headers are there, `chunk` with the bytes as they come, until it returns false or the stream
  /// ends. An answer that is not 200, or of another type, is returned with its body. Errors as
  /// `request`; kTimeout when nothing comes for `silence`.
  virtual Result<HttpAnswer> stream(std::string_view target, const Headers& headers,
                                    std::chrono::milliseconds silence,
                                    const std::function<void()>& opened,
                                    const std::function<bool(std::string_view)>& chunk) = 0;

  /// Hands the answer, whatever its status, to `receiver`, on this thread. Errors as `request`.
  virtual Result<void> post(const Post& post, tools::http::HttpReceiver& receiver) = 0;
};

}  // namespace toolway::cli::client
