#include "workers/pool/slots.h"

namespace toolway::workers::pool {

Slots::Asks Slots::next_asks(const call::Station& station) {
  // Before the switches are known nothing may be started.
  if (draining || paused || !station.switches->known()) return {};
  // What waits here for a thread could run elsewhere; the next turn asks again.
  if (station.executor->starved()) return {};
  return shares.ask();
}

}  // namespace toolway::workers::pool
