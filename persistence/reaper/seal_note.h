#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "bus/bus.h"
#include "persistence/audit/anchor.h"

namespace toolway::persistence::reaper {

/// The last seal of the audit, noted where only collectors can write, and not those who administer
/// the database: in the bucket `seals`, which keeps it. Blocks for 4 s at most; not for threads of
/// the bus, which must outlive it. Errors of both: kTimeout, kBusUnavailable; kInternal, when what
/// is there is not a note.
class SealNote {
 public:
  explicit SealNote(bus::Bus& bus) : bus_(bus) {}

  /// Nothing: there is none, nor one that an older collector left in bucket `clocks`.
  Result<std::optional<audit::Anchor>> read();
  Result<void> write(const audit::Anchor& last);

 private:
  Result<std::optional<audit::Anchor>> read(std::string_view stream, std::string_view bucket);

  bus::Bus& bus_;
};

}  // namespace toolway::persistence::reaper
