#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>

#include "base/clock.h"
#include "base/pause.h"
#include "chat/engine/tool_box.h"
#include "chat/providers/configuration.h"
#include "chat/providers/provider.h"
#include "chat/turns/lease_keeper.h"
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
  /// What renews conversations; null: one of their own. Only one that is given may have no thread:
  /// then there are none, and `pause` lets time pass.
  std::shared_ptr<LeaseKeeper> keeper{};
  Beat beat = Beat::kOnItsThread;
  std::function<bool(std::chrono::milliseconds, const std::stop_token&)> pause = toolway::pause;
};

/// The tool whose calls are turns: it takes the session's conversation, answers, and gives it back.
/// An attempt continues where the one before it was. What `parts` refers to outlives it.
std::shared_ptr<const tools::model::Tool> make_turn_tool(TurnParts parts);

}  // namespace toolway::chat::turns
