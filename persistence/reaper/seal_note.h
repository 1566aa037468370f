#pragma once

#include <optional>

#include "base/result.h"
#include "bus/bus.h"
#include "persistence/audit/anchor.h"

namespace toolway::persistence::reaper {

/// The last seal of the audit, noted where those who administer the database cannot write: in the
/// bucket `clocks`, which forgets what was not written for an hour. Blocks for 2 s at most; not for
/// threads of the bus, which must outlive it. Errors of both: kTimeout, kBusUnavailable; kInternal,
/// when what is there is not a note.
class SealNote {
 public:
  explicit SealNote(bus::Bus& bus) : bus_(bus) {}

  /// Nothing: there is none.
  Result<std::optional<audit::Anchor>> read();
  Result<void> write(const audit::Anchor& last);

 private:
  bus::Bus& bus_;
};

}  // namespace toolway::persistence::reaper
