#pragma once

#include <new>

#include "base/result.h"

namespace toolway::bus {

/// What an answer counts as when there is no memory for it: lost. The text is short enough to need
/// none.
inline tl::unexpected<Error> lost_answer() { return fail(ErrorCode::kTimeout, "out of memory"); }

/// What `read` makes of an answer. Without memory for it the answer is as good as lost, and its
/// handler hears so.
template <typename Read>
auto read_or_lost(Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    return lost_answer();
  }
}

}  // namespace toolway::bus
