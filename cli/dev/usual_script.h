#pragma once

#include <string_view>

namespace toolway::cli::dev {

/// What answers messages in `toolway dev --chat` while no provider's key is set: a script
/// (docs/chat.md).
std::string_view usual_script();

}  // namespace toolway::cli::dev
