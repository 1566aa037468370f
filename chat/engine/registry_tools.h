#pragma once

#include <memory>

#include "chat/engine/tool_box.h"
#include "tools/exports/process_tool_calls.h"

namespace toolway::chat::engine {

/// The tools of this process, run in it one after the other, without any server.
/// `options.stop` has no meaning here.
std::unique_ptr<ToolBox> make_registry_tools(std::shared_ptr<const tools::model::Registry> registry,
                                             tools::exports::ProcessOptions options = {});

}  // namespace toolway::chat::engine
