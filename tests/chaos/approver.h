#pragma once

#include <string>

#include "tests/chaos/door.h"

namespace toolway::chaos {

/// Someone decides about a call that waits for approval; of some, not before the storm has ended.
void decide(Door& door, History& history, Randomness& random, const std::string& call);

/// What no one decided about while the storm lasted: nothing else would end it for a day.
void approve_the_rest(const Entrance& entrance);

}  // namespace toolway::chaos
