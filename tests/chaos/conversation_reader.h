#pragma once

#include <vector>

#include "tests/chaos/final_reader.h"
#include "tests/chaos/history.h"

namespace toolway::chaos {

/// All conversations as Postgres and each gateway have them when all is quiet. What a gateway does
/// not show is counted in `history`. Errors: kStoreUnavailable.
Result<std::vector<ConversationEnd>> read_conversations(Database& database,
                                                        const Entrance& entrance, History& history);

}  // namespace toolway::chaos
