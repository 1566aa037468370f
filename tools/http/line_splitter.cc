#include "tools/http/line_splitter.h"

#include <fmt/format.h>

#include "base/try.h"

namespace toolway::tools::http {

Result<void> LineSplitter::keep(std::string_view piece) {
  if (kept_.size() + piece.size() > max_) {
    return fail(ErrorCode::kPayloadTooLarge, fmt::format("a line has more than {} bytes", max_));
  }
  kept_.append(piece);
  return {};
}

Result<void> LineSplitter::feed(std::string_view bytes,
                                const std::function<Result<void>(std::string_view)>& line) {
  const std::string_view ends = ends_ == Ends::kLf ? "\n" : "\r\n";
  while (!bytes.empty()) {
    if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const auto end = bytes.find_first_of(ends);
    if (end == std::string_view::npos) return keep(bytes);
    RETURN_IF_ERROR(keep(bytes.substr(0, end)));
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    std::string whole;
    whole.swap(kept_);
    if (ends_ == Ends::kLf && whole.ends_with('\r')) whole.pop_back();
    RETURN_IF_ERROR(line(whole));
    whole.clear();
    if (kept_.empty()) kept_.swap(whole);  // keeps its memory for the next line
  }
  return {};
}

}  // namespace toolway::tools::http
