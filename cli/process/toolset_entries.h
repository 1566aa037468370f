#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "tools/model/kind_types.h"

/// The tools of a server in the bucket `toolsets`: one entry, or several when they are too many for
/// a message. Pure.
namespace toolway::cli::process {

/// Of the documents in one entry.
inline constexpr std::size_t kMaxInEntry = 640 * 1024;
/// Of a whole set that is read: more than a server's offered tools can take, even in half-empty
/// entries.
inline constexpr unsigned kMaxParts = 32;
inline constexpr std::size_t kMaxEntryBytes = 2 * kMaxInEntry;
inline constexpr std::size_t kMaxSetBytes = 12 * 1024 * 1024;

struct ToolsetEntry {
  std::string key;  ///< `<server>.<part>`
  std::string value;
};

/// `worker` and `at` are for people.
std::vector<ToolsetEntry> toolset_entries(const tools::model::Toolset& toolset,
                                          const std::string& worker, WallTime at);

/// What an entry says.
struct ToolsetPart {
  std::string server;
  unsigned part = 0;
  unsigned parts = 1;
  std::string digest;                  ///< of the whole set
  std::vector<std::string> documents;  ///< of specs, as `to_document` makes them
};

/// Errors: kInvalidSpec: not an entry, or larger than the limits.
Result<ToolsetPart> read_toolset_entry(std::string_view key, std::string_view value);

}  // namespace toolway::cli::process
