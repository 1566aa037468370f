#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "base/clock.h"
#include "chat/engine/tool_box.h"
#include "chat/providers/configuration.h"
#include "chat/providers/provider.h"
#include "chat/turns/turn_options.h"
#include "chat/turns/turn_report.h"
#include "persistence/conversations/conversation_store.h"
#include "tools/model/tool.h"

namespace toolway::chat::turns {

/// What turns are run with. All of it may be asked on many threads at once.
struct TurnParts {
  persistence::conversations::ConversationStore& store;
  const Clock& clock;
  Telemetry telemetry;
  TurnOptions usual{};
  /// A model for one turn; or why there is none.
  using ProviderOrNone =
      std::variant<std::shared_ptr<providers::Provider>, providers::NotConfigured>;
  std::function<Result<ProviderOrNone>()> make_provider;
  /// Whose tools a turn has.
  struct ToolsAsked {
    const std::string& session_id;
    const std::string& on_behalf;  ///< the turn's token
    unsigned inline_ms = 0;
    const TraceContext& trace;  ///< what its calls are below
  };
  std::function<std::shared_ptr<engine::ToolBox>(const ToolsAsked&)> make_tools;
};

/// The tool whose calls are turns: it takes the session's conversation, answers, and gives it back.
/// An attempt continues where the one before it was. What `parts` refers to outlives it.
std::shared_ptr<const tools::model::Tool> make_turn_tool(TurnParts parts);

}  // namespace toolway::chat::turns
