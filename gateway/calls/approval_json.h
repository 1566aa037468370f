#pragma once

#include <string>

#include "persistence/store/store_reader.h"

namespace toolway::gateway::calls {

/// Of a call that a list has as waiting: whether someone may still decide about it, as far as it is
/// recorded. Of any other: true.
bool is_as_said(const persistence::store::HeldCall& held);

/// A held call as those see it who decide about it, without what its tool's schema marks as secret.
void write_approval(std::string& out, const persistence::store::HeldCall& held);

}  // namespace toolway::gateway::calls
