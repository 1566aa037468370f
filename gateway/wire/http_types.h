#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/trace_context.h"
#include "gateway/loop/asio_types.h"
#include "gateway/wire/body_stream.h"
#include "gateway/wire/caller.h"
#include "gateway/wire/event_stream.h"
#include "gateway/wire/memory_budget.h"
#include "gateway/wire/problem.h"
#include "gateway/wire/request_head.h"

namespace toolway::gateway::wire {

/// Tells whether the client of a request that waits is still there.
class PeerWatch {
 public:
  virtual ~PeerWatch() = default;
  /// Cancels `wake` once the client has gone. The timer must live until `unwatch`.
  virtual void watch(loop::Timer& wake) = 0;
  virtual void unwatch() = 0;
  virtual bool gone() const = 0;
  /// For this request, a client that closes its side has gone. Otherwise it may still read.
  virtual void take_closing_for_leaving() = 0;
};

/// A request as handlers see it; the views live as long as the request is answered.
struct Request {
  std::string_view method;
  std::string_view target;
  std::string_view body;
  const RequestHead* head = nullptr;     ///< for headers that few requests have
  std::optional<std::string_view> user;  ///< X-Toolway-User
  UserHeader user_header = UserHeader::kUntrusted;
  std::optional<std::string_view> authorization;
  std::optional<std::string_view> api_key;    ///< X-Api-Key, as clients of some APIs say it
  std::optional<std::string_view> on_behalf;  ///< X-Toolway-On-Behalf
  std::optional<std::string_view> session;    ///< X-Toolway-Session
  std::optional<std::string_view> content_type;
  bool has_body = false;
  std::string_view accept;
  std::string_view prefer;
  std::optional<std::string_view> last_event_id;
  std::optional<std::string_view> idempotency_key;
  std::string_view range;
  std::string_view if_range;
  std::string_view if_none_match;
  TraceContext trace;  ///< of its span; when it is not traced, what the client sent
  std::string request_id;
  std::optional<std::string_view> host;
  std::optional<std::string_view> origin;
  std::string_view fetch_site;
  std::string_view fetch_mode;
  bool preflight = false;        ///< a browser asks what it may send
  bool private_network = false;  ///< it asks for a page from a public address
  std::uint64_t address = 0;     ///< the client's, as one number
  PeerWatch* watch = nullptr;
};

/// The words after the status in the answer's first line.
std::string_view reason_of(unsigned status);

/// What is sent back: a body, whole or read piece by piece, or events after these headers.
struct Response {
  unsigned status = 200;
  std::string_view content_type = "application/json";  ///< empty: there is no body
  std::string body{};
  std::string headers{};  ///< more of them, each with its line end
  std::unique_ptr<EventStream> events{};
  /// Whether the credential that was asked with still counts; asked while events are sent, on the
  /// io_context's thread. Empty: it always does.
  std::function<bool()> credential_holds{};
  std::unique_ptr<BodyStream> stream{};  ///< instead of `body`
  std::uint64_t length = 0;              ///< of what `stream` gives
  MemoryBudget::Share memory{};          ///< held until it is sent
  std::shared_ptr<const void> place{};   ///< the same, of one that is sent whatever else is held
  /// Of a refusal in a protocol's own form, whatever its status: it is counted and audited as a
  /// problem of this code is.
  std::optional<ErrorCode> refused{};
};

/// The answer of a refused request.
Response problem_response(const Problem& problem, std::string_view request_id);

}  // namespace toolway::gateway::wire
