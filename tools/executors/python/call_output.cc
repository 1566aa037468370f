#include "tools/executors/python/call_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/utf8.h"
#include "tools/model/readable.h"

namespace toolway::tools::executors::python {

void CallOutput::add(Stream stream, std::string_view bytes) {
  Line& line = lines_[stream == Stream::kErr];
  while (!bytes.empty()) {
    const auto end = std::min(bytes.find('\n'), bytes.size());
    const auto kept = std::min(end, kLine - line.text.size());
    line.text.append(bytes.substr(0, kept));
    line.cut += end - kept;
    if (end == bytes.size()) return;
    say(stream, line);
    bytes.remove_prefix(end + 1);
  }
}

bool CallOutput::may_say(double overdraft) {
  return allowance_.take(std::chrono::steady_clock::now(), overdraft);
}

void CallOutput::say(Stream stream, Line& line) {
  if (!line.text.empty() && line.text.back() == '\r' && line.cut == 0) line.text.pop_back();
  if (line.text.empty()) return;
  if (!may_say()) {
    ++dropped_lines_;
    dropped_bytes_ += line.text.size() + line.cut;
  } else {
    if (line.cut > 0) line.text.resize(without_cut_character(line.text).size());
    std::string text = model::readable(std::move(line.text));
    if (line.cut > 0) text += fmt::format(" … ({} bytes more)", line.cut);
    context_.log(stream == Stream::kErr ? model::LogLevel::kWarning : model::LogLevel::kInfo,
                 std::move(text));
  }
  line.text.clear();
  line.cut = 0;
}

void CallOutput::log(model::LogLevel level, std::string_view text) {
  if (!may_say(level == model::LogLevel::kError ? kForErrors : 0)) {
    ++dropped_lines_;
    dropped_bytes_ += text.size();
    return;
  }
  context_.log(level, model::readable(std::string(text)));
}

void CallOutput::finish() {
  say(Stream::kOut, lines_[0]);
  say(Stream::kErr, lines_[1]);
  if (dropped_lines_ == 0) return;
  context_.log(
      model::LogLevel::kWarning,
      fmt::format(
          "{} lines ({} bytes) of the tool's output were left out: more than {} and {} a second",
          dropped_lines_, dropped_bytes_, kBurst, kPerSecond));
  dropped_lines_ = dropped_bytes_ = 0;
}

}  // namespace toolway::tools::executors::python
