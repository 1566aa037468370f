#pragma once

#include <string>

#include "persistence/store/store_reader.h"

namespace toolway::gateway::calls {

/// As far as it is recorded: whether someone may still decide about it.
bool is_waiting(const persistence::store::CallAndLog& held);

/// A held call as those see it who decide about it, without what its tool's schema marks as secret.
void write_approval(std::string& out, const persistence::store::CallAndLog& held);

}  // namespace toolway::gateway::calls
