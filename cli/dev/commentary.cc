#include "cli/dev/commentary.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/try.h"
#include "cli/dev/log_line.h"

namespace toolway::cli::dev {
namespace {

using terminal::Colour;

constexpr std::size_t kRemembered = 1000;

Colour colour_of(LogLine::Level level) {
  switch (level) {
    case LogLine::Level::kInfo: return Colour::kCyan;
    case LogLine::Level::kWarning: return Colour::kYellow;
    case LogLine::Level::kError: return Colour::kRed;
  }
  return Colour::kCyan;
}

}  // namespace

Commentary::Commentary(const std::string& logs, unsigned gateways, unsigned workers,
                       std::string least, const terminal::Style& style)
    : least_(std::move(least)), style_(style) {
  for (unsigned i = 0; i < gateways; ++i)
    logs_.emplace_back(fmt::format("{}/gateway-{}.log", logs, i));
  for (unsigned i = 0; i < workers; ++i)
    logs_.emplace_back(fmt::format("{}/worker-{}.log", logs, i));
}

Result<void> Commentary::watch_calls(const std::string& nats_url) {
  ASSIGN_OR_RETURN(calls_, CallWatch::start(nats_url, style_));
  return {};
}

void Commentary::print_log(std::size_t index) {
  for (const auto& line : logs_[index].lines()) {
    const auto news = worth_showing(line, least_);
    if (!news) continue;
    if (told_by_.size() == kRemembered) told_by_.clear();
    // Processes of one role say the same: one of them is enough, each time.
    if (told_by_.try_emplace(news->text, index).first->second != index) continue;
    fmt::print("{}  {} {}\n", style_(Colour::kDim, news->clock),
               style_(colour_of(news->level), news->process + ":"), news->text);
  }
}

void Commentary::print() {
  for (std::size_t i = 0; i < logs_.size(); ++i) print_log(i);
  if (calls_) {
    const auto ended = calls_->ended();
    for (const auto& line : ended.lines) fmt::print("{}\n", line);
    if (ended.more > 0)
      fmt::print("          and {} more {}\n", ended.more, ended.more == 1 ? "call" : "calls");
  }
  std::fflush(stdout);
}

}  // namespace toolway::cli::dev
