#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/seal_keys.h"
#include "persistence/audit/anchor.h"
#include "persistence/audit/seal.h"

namespace toolway::persistence::audit {

/// What a sealer finds before it seals on.
struct Continuity {
  std::optional<Anchor> remembered;  ///< the last seal that was made; nothing: no one remembers
  std::optional<Seal> last;          ///< in the database now, with its entries; nothing: none
  std::optional<std::string> mac;    ///< of the seal there that has the remembered one's number
};

/// The anchor of the last seal.
Anchor anchor_of(const std::optional<Seal>& last);

/// Whether the next seal may follow `last`: the remembered one is there as it was made, and the
/// last one is what was made with one of the keys. Pure. Errors: kInternal, with what is wrong.
Result<void> may_continue(const Continuity& found, const SealKeys& keys);

}  // namespace toolway::persistence::audit
