#pragma once

#include <memory>

#include "chat/providers/provider.h"
#include "tests/simulation/turns/turn_surroundings.h"

namespace toolway::simulation::turns {

/// A model that takes its time, calls tools by chance, and now and then does not answer; it waits
/// in virtual time.
std::shared_ptr<chat::providers::Provider> make_sim_model(TurnSurroundings& turns);

}  // namespace toolway::simulation::turns
