#pragma once

#include <string_view>

namespace toolway::bus {

/// Whether `subject` matches `filter` as NATS has it: `*` is one token, a
/// trailing `>` one or more.
bool subject_matches(std::string_view filter, std::string_view subject);

}  // namespace toolway::bus
