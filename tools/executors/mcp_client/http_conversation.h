#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "mcp/negotiation.h"
#include "tools/executors/mcp_client/http_peer.h"
#include "tools/executors/mcp_client/server_link.h"

namespace toolway::tools::executors::mcp_client {

/// What is said besides calls and lists takes this long at most.
inline constexpr std::chrono::milliseconds kSmallErrand{5'000};

/// What was agreed on with a server, until it is lost.
struct HttpSession {
  mcp::Revision revision{};
  mcp::ServerCapabilities capabilities{};
  mcp::Implementation server{};
  std::string id{};          ///< the server's own name for it; empty: it gave none
  std::uint64_t number = 0;  ///< counts this link's sessions

  bool handshakes() const { return mcp::rules_of(revision).opening == mcp::Opening::kHandshake; }
};

/// What is said over HTTP besides calls: how a session is opened, and the list of tools.
/// Thread-safe, except `open`, which is for one thread.
class HttpConversation {
 public:
  /// `on_request`: the server asks something in between.
  using OnRequest = std::function<void(const HttpSession&, const mcp::Request&)>;
  HttpConversation(const LinkOptions& options, std::shared_ptr<const HttpPeer> peer,
                   OnRequest on_request)
      : options_(options), peer_(std::move(peer)), on_request_(std::move(on_request)) {}

  std::int64_t next_id() { return ++last_id_; }
  mcp::ClientMessages messages_of(const HttpSession& session) const {
    return {session.revision, options_.client, shared_by_calls(options_.server.asks)};
  }
  /// With the headers of the session and the revision.
  static HttpErrand errand(const HttpSession& session, std::string_view method,
                           const Json& params = {});

  /// Agrees on a revision (2026-07-28, basic/transports/streamable-http, "Backward Compatibility").
  /// Errors: kInternal, with why there is no server to speak to.
  Result<HttpSession> open(std::uint64_t number, const std::stop_token& stop);
  /// Errors: kInternal, with why the list is not available.
  Result<ListedTools> list(const HttpSession& session, const std::stop_token& stop);
  /// Hears what the server says besides answers, as the revision has it. `last_event_id`: of the
  /// stream that broke off; empty: none did.
  HttpErrand listening(const HttpSession& session, const std::string& last_event_id);
  /// The answer to what the server has asked; sent twice rather than not at all. False: it was not
  /// sent.
  bool answer(const HttpSession& session, const mcp::Answer& answer,
              const std::stop_token& stop) const;
  /// Ends it in order, where the server lets that be done.
  void close(const HttpSession& session) const;

 private:
  Result<HttpReturn> ask(const HttpSession& session, const mcp::Request& request,
                         const std::stop_token& stop);

  const LinkOptions& options_;
  const std::shared_ptr<const HttpPeer> peer_;
  const OnRequest on_request_;
  std::atomic<std::int64_t> last_id_{0};
  std::optional<mcp::Opening> opening_;  ///< how it began the last time
};

}  // namespace toolway::tools::executors::mcp_client
