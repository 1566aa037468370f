#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "bus/bus.h"

namespace toolway::persistence::schema {

struct AfterRestore {
  std::size_t sessions = 0;       ///< put back into the bucket
  std::uint64_t transaction = 0;  ///< Postgres' transaction id from here on
};

/// Repairs a fleet whose NATS or Postgres was restored from a backup, or starts empty, while the
/// other one is as it was (docs/operations.md). Does no harm when nothing was lost, and may be run
/// again. Three things, in this order: sessions that the bucket does not have are put back from
/// Postgres, so that their users find their history and mailboxes; Postgres' transaction ids
/// advance past every mailbox cursor ever given, since cursors are made of them; the collectors'
/// durables are deleted, so that the whole window of the streams is recorded once more: the caller
/// provisions them again. Needs the streams and the schema. Errors: kStoreUnavailable, as the
/// bus's, kInternal.
Result<AfterRestore> after_restore(bus::Bus& bus, const std::string& postgres_url);

}  // namespace toolway::persistence::schema
