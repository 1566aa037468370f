#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace toolway::tools::http {

/// Lines from bytes as they come, cut anywhere. Pure; one thread.
class LineSplitter {
 public:
  enum class Ends { kLf, kLfCrOrBoth };  ///< with kLf, a CR before the LF is not part of the line

  LineSplitter(Ends ends, std::size_t max_line_bytes) : ends_(ends), max_(max_line_bytes) {}
  /// Calls `line` for each line that ends in `bytes`; it may refuse. Errors: `line`'s, and
  /// kPayloadTooLarge for a line over the bound; after an error, feed nothing more.
  Result<void> feed(std::string_view bytes,
                    const std::function<Result<void>(std::string_view)>& line);
  /// What comes after the last line end; empty: nothing.
  std::string rest() { return std::move(kept_); }

 private:
  Result<void> keep(std::string_view piece);

  const Ends ends_;
  const std::size_t max_;
  std::string kept_;
  bool after_cr_ = false;
};

}  // namespace toolway::tools::http
