#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>

#include "base/json.h"
#include "mcp/message.h"
#include "mcp/revision.h"
#include "proto/toolway/v1/call.pb.h"

/// What clients of the Model Context Protocol send over Streamable HTTP, in both of its eras. Pure.
namespace toolway::gateway::mcp {

/// The headers that say something of a message.
struct RpcHeaders {
  std::optional<std::string> revision;  ///< MCP-Protocol-Version
  std::optional<std::string> session;   ///< MCP-Session-Id
  std::optional<std::string> method;    ///< Mcp-Method
  std::optional<std::string> name;      ///< Mcp-Name
};

/// A request, with what it says of itself.
struct RpcRequest {
  toolway::mcp::Request request;
  toolway::mcp::Revision revision = toolway::mcp::Revision::k2025_03_26;
  bool stateless = false;   ///< of 2026-07-28 on: each request says it all
  v1::Askable askable{};    ///< likewise: what its client has declared
  bool tasks = false;       ///< likewise: that it takes tasks
  Json progress_token{};    ///< null: no progress is wanted
  std::string log_level{};  ///< of this request, in a revision that says it there
  std::string session{};    ///< the sealed session that it names; empty: none
  std::string client{};     ///< what its client calls itself; empty: it does not say
  /// Of tools/call, as the client wrote them; empty: none. Of heavy values (`are_heavy_values`)
  /// there is only this, and nothing in the params.
  std::string arguments_text{};
};

/// A notification: nothing is answered to it.
struct NoAnswer {
  std::string method;
  std::string session{};                             ///< as of a request
  std::optional<toolway::mcp::RequestId> cancels{};  ///< the request that it cancels
};

/// What a client says to a question of ours.
struct ClientAnswer {
  std::string id;  ///< of our request; empty: it was none of ours, whose ids are texts
  tl::expected<Json, toolway::mcp::RpcError> result{};
};

/// Why a message cannot be taken, as its revision says it.
struct RpcFailure {
  unsigned status = 400;
  std::optional<toolway::mcp::RequestId> id{};
  toolway::mcp::RpcError error{};
};

using RpcMessage = std::variant<RpcRequest, NoAnswer, ClientAnswer>;

/// What a message may hold besides the arguments of a call: what is kept of it while it is
/// answered.
inline constexpr std::size_t kMaxValuesBesides = 10'000;

/// Reads one message, on any thread. The revision's own rules: 2025-11-25, basic/transports and
/// basic/lifecycle; 2026-07-28, basic/index ("_meta"), basic/versioning and
/// basic/transports/streamable-http.
tl::expected<RpcMessage, RpcFailure> read_message(std::string_view body, const RpcHeaders& headers);

/// Of the tool that a `tools/call` names and its arguments: equal for equal ones.
std::string digest_of(const RpcRequest& request);

/// The revision that a session of this handshake speaks.
toolway::mcp::Revision negotiate(const Json& initialize_params);

/// What a client calls itself; `params` of initialize, or a `_meta`. Empty: it does not say.
std::string client_name(const Json& said, const char* field);

/// The names of all revisions that are spoken here, newest first.
Json spoken_revisions();

Json id_json(const toolway::mcp::RequestId& id);

/// An answer's text: a result, or an error.
std::string answer_text(const std::optional<toolway::mcp::RequestId>& id, const Json& result);
std::string failure_text(const RpcFailure& failure);

}  // namespace toolway::gateway::mcp
