#include "tools/executors/command/error_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/model/readable.h"

namespace toolway::tools::executors::command {

void ErrorLines::end_line() {
  if (++lines_ <= kLines && on_line_) on_line_(model::readable(std::move(line_)));
  if (lines_ == kLines + 1 && on_line_)
    on_line_(fmt::format("… more than {} lines; the rest is left out", kLines));
  line_.clear();
}

void ErrorLines::add(std::string_view text) {
  tail_.append(text.substr(text.size() > kTail ? text.size() - kTail : 0));
  if (tail_.size() > 2 * kTail) tail_.erase(0, tail_.size() - kTail);
  while (!text.empty() && lines_ <= kLines) {
    const auto end = std::min(text.find('\n'), text.size());
    line_.append(text.substr(0, std::min(end, kLine - std::min(kLine, line_.size()))));
    if (end == text.size()) return;
    end_line();
    text.remove_prefix(end + 1);
  }
}

std::string ErrorLines::finish() {
  if (!line_.empty()) end_line();
  if (tail_.size() > kTail) tail_.erase(0, tail_.size() - kTail);
  const auto first = tail_.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return model::readable(tail_.substr(first, tail_.find_last_not_of(" \t\r\n") + 1 - first));
}

}  // namespace toolway::tools::executors::command
