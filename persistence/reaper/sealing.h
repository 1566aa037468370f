#pragma once

#include <optional>
#include <vector>

#include "persistence/audit/seal.h"
#include "persistence/reaper/elected_connection.h"

/// What the sealer asks of Postgres. Errors of all: as ElectedConnection.
namespace toolway::persistence::reaper {

/// The records of one seal, at most; more of one transaction stay together.
inline constexpr std::size_t kRecordsPerSeal = 10'000;

/// The newest seal without its entries; nothing: there is none.
Result<std::optional<audit::Seal>> last_seal(ElectedConnection& connection);
/// With them.
Result<std::optional<audit::Seal>> whole_last_seal(ElectedConnection& connection);
/// The mac of a seal; nothing: it is not there.
Result<std::optional<std::string>> mac_of_seal(ElectedConnection& connection, std::int64_t number);

/// What may be sealed now.
struct Sealable {
  std::vector<audit::SealEntry> entries;  ///< of all records of the transactions …
  std::uint64_t to_xid = 0;               ///< … from the one asked for up to this one
  bool more = false;
};
/// Below the oldest running transaction, so that a late commit is not passed over.
Result<Sealable> sealable(ElectedConnection& connection, std::uint64_t from_xid,
                          std::size_t limit = kRecordsPerSeal);

/// False: another sealer has made a seal of this number.
Result<bool> store_seal(ElectedConnection& connection, const audit::Seal& seal);

/// `oldest`, of records from transaction $1 on.
std::string oldest_unsealed_statement();
/// When the oldest record happened that no seal below `to_xid` covers; nothing: there is none.
Result<std::optional<WallTime>> oldest_unsealed(ElectedConnection& connection,
                                                std::uint64_t to_xid);

/// The first seal that has a record of `day` or later; nothing: none has.
Result<std::optional<std::int64_t>> first_seal_of(ElectedConnection& connection, std::int32_t day);
/// Drops the records of earlier days and the seals before `cut.first_seal`, and stores the seal
/// that says so, in one transaction. False: as store_seal.
Result<bool> store_cut(ElectedConnection& connection, const audit::Seal& cut);
/// Without seals. How many partitions it dropped.
Result<std::int64_t> drop_records_before(ElectedConnection& connection, std::int32_t day);

}  // namespace toolway::persistence::reaper
