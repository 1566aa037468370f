#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "mcp/client_messages.h"
#include "mcp/http_headers.h"
#include "tools/executors/mcp_client/server_config.h"
#include "tools/http/http_engine.h"

namespace toolway::tools::executors::mcp_client {

/// One message to a server over streamable HTTP, and what to do with what comes back.
struct HttpErrand {
  enum class Verb { kPost, kGet, kDelete };

  Verb verb = Verb::kPost;
  std::string body{};
  std::optional<std::int64_t> awaits{};  ///< the id whose answer ends the exchange
  mcp::Headers headers{};
  std::string session{};               ///< empty: none
  TraceContext trace{};                ///< of what it is done for
  std::string last_event_id{};         ///< of a GET that resumes a stream
  std::chrono::milliseconds total{0};  ///< 0: no limit
  std::chrono::milliseconds idle{0};
  tools::http::HttpRequest::Replay replay = tools::http::HttpRequest::Replay::kIdempotentMethods;
  std::function<void(const mcp::Notification&)> on_notification{};  ///< on the calling thread
  std::function<void(const mcp::Request&)> on_request{};
};

/// What came back.
struct HttpReturn {
  tools::http::HttpEnd end;
  int status = 0;                       ///< 0: no answer at all
  std::optional<mcp::Answer> answer{};  ///< to what was awaited, or about the message as a whole
  std::string answer_text{};            ///< the same as it came
  std::string nonsense{};               ///< what came that is not a message; empty: nothing
  std::string session{};                ///< that the server gave
  std::string last_event_id{};          ///< of the stream, should it have broken off
  std::chrono::milliseconds retry{0};   ///< how long the server wants a reconnect to wait

  /// It ended before its answer, which the server may keep for a client that comes back.
  bool broke_off() const;
  /// There was no connection, or it ended.
  bool lost_connection() const;
};

/// The endpoint of one server. Thread-safe.
class HttpPeer {
 public:
  /// Errors: kInvalidSpec (addresses, proxy).
  static Result<std::shared_ptr<const HttpPeer>> create(
      const ServerConfig& server, std::shared_ptr<tools::http::HttpEngine> engine,
      std::shared_ptr<const model::Secrets> secrets);

  /// Runs an errand to its end, on this thread. Errors: kNotFound (a secret).
  Result<HttpReturn> run(const HttpErrand& errand, std::stop_token stop) const;

 private:
  HttpPeer(const ServerConfig& server, std::shared_ptr<tools::http::HttpEngine> engine,
           std::shared_ptr<const model::Secrets> secrets)
      : server_(server), engine_(std::move(engine)), secrets_(std::move(secrets)) {}

  const ServerConfig server_;
  const std::shared_ptr<tools::http::HttpEngine> engine_;
  const std::shared_ptr<const model::Secrets> secrets_;
  std::shared_ptr<const tools::http::AddressPolicy> addresses_;
};

}  // namespace toolway::tools::executors::mcp_client
