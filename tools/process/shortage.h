#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>

#include "base/result.h"

namespace toolway::tools::process {

tl::unexpected<Error> no_thread(std::string_view what, const std::system_error& error);

/// Tries `start` until it neither fails with kOverloaded nor `stop` is requested: what the system
/// has run out of (processes, descriptors, memory) may be free again soon, and until then a call is
/// late, not lost. Waits 50 ms after the first failure, twice as long after each further one, at
/// most 1 s. `what` is for the log: `command`. Blocks. Errors: kCancelled (stopped while it
/// waited), and those of `start` except kOverloaded.
Result<void> start_when_possible(std::string_view what, const std::stop_token& stop,
                                 const std::function<Result<void>()>& start);

/// What `make` returns, which starts threads. Errors: kOverloaded when the system has none left;
/// what was begun is then undone by the destructors of what `make` had built.
template <typename Make>
auto when_threads_are_left(std::string_view what, Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::system_error& error) {
    return no_thread(what, error);
  }
}

/// Whether a program says in its own words that the system gave it no process, thread, descriptor
/// or memory.
bool tells_shortage(std::string_view text);

}  // namespace toolway::tools::process
