#include "workers/pool/slots.h"

#include <new>

namespace toolway::workers::pool {

Slots::Asks Slots::next_asks(const call::WorkerContext& context) {
  // Before switches and policy are known nothing may be started.
  if (draining || paused || !context.switches->known() || !context.policies->known()) return {};
  // What waits here for a thread could run elsewhere; the next upkeep asks again.
  if (context.executor->starved()) return {};
  try {
    return shares.ask();
  } catch (const std::bad_alloc&) {
    return {};  // likewise
  }
}

}  // namespace toolway::workers::pool
