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

/// Asks for what an answer to `handler` waits for. Without memory to ask, `handler` hears that the
/// answer is lost, and would never hear anything otherwise.
template <typename Handler, typename Ask>
void ask_or_lost(const Handler& handler, Ask ask) {
  try {
    ask();
  } catch (const std::bad_alloc&) {
    handler(lost_answer());
  }
}

}  // namespace toolway::bus
