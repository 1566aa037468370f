#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mcp/message.h"
#include "mcp/revision.h"
#include "mcp/server_info.h"
#include "mcp/tool_call.h"

namespace toolway::mcp {

/// What a client of one revision says. It declares no capabilities: servers may ask it for
/// nothing. Immutable, thread-safe.
class ClientMessages {
 public:
  ClientMessages(Revision revision, Implementation client)
      : revision_(revision), client_(std::move(client)) {}
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
  Request request(RequestId id, std::string_view method, Json params = nullptr) const;

  const Revision revision_;
  const Implementation client_;
};

/// The answer to something that a server asks of us: an empty result to `ping`, a refusal to
/// anything else.
Answer answer_to(const Request& request);

/// `notifications/tools/list_changed`
bool is_tools_changed(const Notification& notification);
/// `notifications/progress`
bool is_progress(const Notification& notification);

}  // namespace toolway::mcp
