#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace toolway::cli::bench::results {

/// Results of runs in a directory: one JSON file each, `NAME-20261121T220500.123Z.json`, oldest
/// first by name.
class ResultStore {
 public:
  explicit ResultStore(std::string directory) : directory_(std::move(directory)) {}

  /// The newest result of that name; nothing when there is none. What cannot be read is skipped.
  std::optional<OrderedJson> last(const std::string& name) const;
  /// Writes a result down, as a whole or not at all; its path. `time`: RFC 3339.
  Result<std::string> keep(const std::string& name, const std::string& time,
                           const OrderedJson& result) const;

 private:
  const std::string directory_;
};

/// A field of an object of a result; `unknown` where it has none.
std::string text_of(const OrderedJson& result, const char* part, const char* field);
/// `not the same: WHAT was A, is B`, of such a field; empty: it is the same.
std::string difference(const OrderedJson& before, const OrderedJson& now, const char* part,
                       const char* field, const char* what);

/// Two results of the same scenario compared, in words: a line per figure that both have, with its
/// ratio, and what makes them hard to compare (other options, another machine, another load on it).
/// Pure.
std::vector<std::string> compare(const OrderedJson& before, const OrderedJson& now);

}  // namespace toolway::cli::bench::results
