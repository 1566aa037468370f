#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

#include "base/result.h"
#include "tools/builtin/root_directory.h"

namespace toolway::tools::builtin {

enum class LinesEnd { kEndOfFile, kStopped, kBinary };

/// Gives each line of a file (numbered from 1, without its end) to `each` until
/// that returns false or the call is cancelled. Holds one chunk and one line in
/// memory: a line over 1 MB comes in pieces of the same number. Binary files give none.
Result<LinesEnd> for_each_line(const Descriptor& file, const std::stop_token& cancelled,
                               const std::function<bool(std::int64_t, std::string_view)>& each);

}  // namespace toolway::tools::builtin
