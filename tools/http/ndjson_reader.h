#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/json.h"
#include "tools/http/line_splitter.h"

namespace toolway::tools::http {

/// JSON values, one a line, from bytes as they come, cut anywhere. Empty lines are skipped.
/// Pure; one thread.
class NdjsonReader {
 public:
  explicit NdjsonReader(std::function<void(Json)> handler, std::size_t max_line_bytes = 16UL << 20)
      : handler_(std::move(handler)), lines_(LineSplitter::Ends::kLf, max_line_bytes) {}
  /// Errors: kPayloadTooLarge, kMalformedJson with the line's number; feed nothing more then.
  Result<void> feed(std::string_view bytes);
  /// The last line need not end.
  Result<void> finish();

 private:
  Result<void> line(std::string_view text);

  std::function<void(Json)> handler_;
  LineSplitter lines_;
  std::size_t number_ = 0;
};

}  // namespace toolway::tools::http
