#pragma once

#include <memory>
#include <string>

#include "chat/engine/tool_box.h"
#include "tests/simulation/turns/turn_surroundings.h"

namespace toolway::simulation::turns {

/// The tools of the turn `turn`, reached through the gateways of the schedule without HTTP.
std::shared_ptr<chat::engine::ToolBox> make_sim_tool_box(TurnSurroundings& turns,
                                                         std::shared_ptr<Process> process,
                                                         const std::string& session_key,
                                                         const std::string& turn);

}  // namespace toolway::simulation::turns
