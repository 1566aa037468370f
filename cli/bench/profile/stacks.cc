#include "cli/bench/profile/stacks.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace toolway::cli::bench::profile {
namespace {

constexpr std::size_t kMaxFrames = 6;

struct Frame {
  bool kernel = false;
  std::string_view symbol;
};

/// `  7f0012ab symbol`; nothing when it is not of that form.
std::optional<Frame> parse_frame(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  line.remove_prefix(begin);
  std::uint64_t address = 0;
  const auto* const last = line.data() + line.size();
  const auto [end, error] = std::from_chars(line.data(), last, address, 16);
  if (error != std::errc() || end == last || *end != ' ') return std::nullopt;
  // The kernel has the upper half of the addresses.
  return Frame{.kernel = address >> 63 == 1,
               .symbol = line.substr(static_cast<std::size_t>(end - line.data()) + 1)};
}

/// The name of a system call, if the symbol is its entry.
std::string_view system_call(std::string_view symbol) {
  for (const std::string_view prefix : {"__x64_sys_", "__arm64_sys_"})
    if (symbol.starts_with(prefix)) return symbol.substr(prefix.size());
  return {};
}

void remove_all(std::string& text, std::string_view part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
}

/// Without template arguments, parameters, versions and our own namespace; empty: a frame that says
/// nothing.
std::string short_name(std::string_view symbol) {
  for (const std::string_view nothing :
       {"_Z", "std::", "boost::", "[unknown]", "start_thread", "clone3"})
    if (symbol.starts_with(nothing)) return {};
  std::string name;
  int depth = 0;
  for (const char c : symbol.substr(0, symbol.find('@'))) {
    depth += c == '<' ? 1 : 0;
    if (depth == 0) name += c;
    depth -= c == '>' && depth > 0 ? 1 : 0;
  }
  remove_all(name, "(anonymous namespace)::");
  remove_all(name, "toolway::");
  // Also of the function that a lambda is in: `f(int)::{lambda()#1}::operator()`.
  return name.substr(0, name.find_first_of("( "));
}

/// The frames of one sample, innermost first.
class Sample {
 public:
  void add(const Frame& frame) {
    empty_ = false;
    if (frame.kernel) {
      kernel_ = true;
      if (const auto call = system_call(frame.symbol); !call.empty()) call_ = call;
    } else if (auto name = short_name(frame.symbol); !name.empty() && users_.size() < kMaxFrames) {
      users_.push_back(std::move(name));
    }
  }
  bool empty() const { return empty_; }
  std::string text() const {
    std::string text = kernel_ ? "[kernel]" + (call_.empty() ? "" : " " + call_) : "";
    for (const auto& name : users_) text += (text.empty() ? "" : " < ") + name;
    return text.empty() ? "[unknown]" : text;
  }

 private:
  bool empty_ = true;
  bool kernel_ = false;
  std::string call_;
  std::vector<std::string> users_;
};

}  // namespace

Stacks fold_stacks(std::string_view script, std::size_t most) {
  std::map<std::string, std::size_t> counts;
  Stacks stacks;
  Sample sample;
  const auto end_sample = [&] {
    if (sample.empty()) return;
    ++counts[sample.text()];
    ++stacks.samples;
    sample = {};
  };
  while (!script.empty()) {
    const auto line = script.substr(0, script.find('\n'));
    script.remove_prefix(std::min(script.size(), line.size() + 1));
    if (const auto frame = parse_frame(line))
      sample.add(*frame);
    else
      end_sample();
  }
  end_sample();
  for (const auto& [frames, count] : counts)
    stacks.heaviest.push_back(
        {frames, static_cast<double>(count) / static_cast<double>(stacks.samples)});
  std::ranges::stable_sort(stacks.heaviest, std::greater(), &Stack::share);
  if (stacks.heaviest.size() > most) stacks.heaviest.resize(most);
  return stacks;
}

}  // namespace toolway::cli::bench::profile
