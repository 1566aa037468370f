#pragma once

namespace toolway::chat::turns {

/// Who drives what is done beside turns: a thread of its own, or who owns the time, as the
/// simulation does.
enum class Beat { kOnItsThread, kWhenTold };

}  // namespace toolway::chat::turns
