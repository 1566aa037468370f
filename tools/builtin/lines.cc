#include "tools/builtin/lines.h"

#include <string>

#include "base/try.h"
#include "tools/builtin/file_reader.h"

namespace toolway::tools::builtin {
namespace {

constexpr std::size_t kLinesChunk = 256 * 1024;
constexpr std::size_t kMaxLine = 1024 * 1024;

std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

Result<LinesEnd> for_each_line(const Descriptor& file, const std::stop_token& cancelled,
                               const std::function<bool(std::int64_t, std::string_view)>& each) {
  std::string pending;
  std::int64_t number = 1;
  for (std::int64_t offset = 0;;) {
    if (cancelled.stop_requested()) return LinesEnd::kStopped;
    ASSIGN_OR_RETURN(const auto chunk, read_at(file, offset, kLinesChunk));
    if (offset == 0 && looks_binary(chunk)) return LinesEnd::kBinary;
    if (chunk.empty()) break;
    offset += static_cast<std::int64_t>(chunk.size());

    std::string_view rest = chunk;
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      std::string_view line = rest.substr(0, end);
      if (!pending.empty()) {
        pending.append(line);
        line = pending;
      }
      if (cancelled.stop_requested() || !each(number, without_return(line)))
        return LinesEnd::kStopped;
      pending.clear();
      ++number;
      rest.remove_prefix(end + 1);
    }
    pending.append(rest);
    if (pending.size() >= kMaxLine) {
      if (!each(number, pending)) return LinesEnd::kStopped;
      pending.clear();
    }
  }
  if (!pending.empty() && !each(number, without_return(pending))) return LinesEnd::kStopped;
  return LinesEnd::kEndOfFile;
}

}  // namespace toolway::tools::builtin
