#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mcp/client_capabilities.h"
#include "mcp/message.h"
#include "mcp/revision.h"
#include "mcp/server_info.h"
#include "mcp/tool_call.h"

namespace toolway::mcp {

/// What a client of one revision says. Immutable, thread-safe.
class ClientMessages {
 public:
  /// `declared`: in a handshake, what servers may ask for. Where each request says it, those of
  /// ToolCall do, and all others that servers may ask for nothing.
  ClientMessages(Revision revision, Implementation client, const ClientCapabilities& declared = {})
      : revision_(revision), client_(std::move(client)), declared_(declared) {}
  Revision revision() const { return revision_; }

  /// For revisions that open with a handshake.
  Request initialize(RequestId id) const;
  Notification initialized() const;
  Request ping(RequestId id) const;

  /// For revisions that open with each request.
  Request discover(RequestId id) const;
  /// Asks to be told when the list of tools changes.
  Request listen(RequestId id) const;

  /// `cursor`: of the page before; nothing: the first page.
  Request list_tools(RequestId id, const std::optional<std::string>& cursor = std::nullopt) const;
  /// Its progress comes with `id` as its token.
  Request call_tool(RequestId id, const ToolCall& call) const;
  Notification cancelled(const RequestId& id, std::string_view reason) const;

 private:
  Request request(RequestId id, std::string_view method, Json params = nullptr,
                  const ClientCapabilities& declared = {}) const;

  const Revision revision_;
  const Implementation client_;
  const ClientCapabilities declared_;
};

/// The answer to something that a server asks of us and is not told: an empty result to `ping`, a
/// refusal to anything else.
Answer answer_to(const Request& request);
/// The refusal of a question whose call cannot be told, since calls share the connection.
Answer answer_to_stray(const Request& request);

/// `notifications/tools/list_changed`
bool is_tools_changed(const Notification& notification);
/// `notifications/progress`
bool is_progress(const Notification& notification);
/// `notifications/cancelled`: which of its own requests a server no longer wants answered.
std::optional<RequestId> cancelled_request(const Notification& notification);

}  // namespace toolway::mcp
