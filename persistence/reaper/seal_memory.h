#pragma once

#include <optional>

#include "base/clock.h"
#include "persistence/reaper/seal_note.h"

namespace toolway::persistence::reaper {

/// Which seal of the audit was made last, known apart from the database: by this collector, and by
/// the note that all collectors keep. Every collector with seal keys has one, so that any of them
/// can note it again when NATS has lost it. One thread.
class SealMemory {
 public:
  SealMemory(bus::Bus& bus, const Clock& clock) : note_(bus), clock_(clock) {}

  /// What the one that sealed before this one has noted. Errors: as SealNote.
  Result<void> take_over();
  /// Nothing: no one remembers.
  const std::optional<audit::Anchor>& last() const { return last_; }
  void remember(audit::Anchor last);

  /// Notes what is not noted yet, and every 5 minutes again. While another collector
  /// `seals`, takes what that one has noted. A failure is logged once and tried again.
  enum class Sealer { kThisOne, kAnother };
  void keep(Sealer seals);

 private:
  Result<void> follow();

  SealNote note_;
  const Clock& clock_;
  std::optional<audit::Anchor> last_;
  MonotonicTime next_{};
  bool failing_ = false;
};

}  // namespace toolway::persistence::reaper
