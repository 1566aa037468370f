#include "cli/talk/call_bars.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/reserved_names.h"
#include "base/text.h"
#include "cli/client/reporting.h"
#include "cli/talk/shown_text.h"
#include "cli/terminal/bar.h"
#include "cli/terminal/table.h"
#include "tools/http/sse_reader.h"

namespace toolway::cli::talk {
namespace {

constexpr unsigned kBarWidth = 20;
/// Of name and message, so that the line fits on a terminal of 80 columns.
constexpr std::size_t kNameWidth = 28;
constexpr std::size_t kMessageWidth = 20;
/// The server comments every 15 s.
constexpr std::chrono::seconds kSilence{45};

double number_at(const OrderedJson& event, const char* name) {
  const auto found = event.find(name);
  return found != event.end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace

std::string bar_line(const OrderedJson& event, const terminal::Style& style) {
  if (!event.is_object() || client::cell(event, "type") != "progress" ||
      client::cell(event, "namespace") == kTurnNamespace)
    return "";
  const auto plain = [](const std::string& text, std::size_t width) {
    auto shown = ShownText().next(text);
    std::ranges::replace_if(shown, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return terminal::shorten(shown, width);
  };
  const auto name =
      plain(client::cell(event, "namespace") + "." + client::cell(event, "tool"), kNameWidth);
  auto message = client::cell(event, "message");
  if (message.empty()) message = client::cell(event, "step");
  const double done = number_at(event, "progress");
  const double total = number_at(event, "total");
  if (total <= 0)
    return fmt::format("{}  {}  {}", name, client::cell(event, "progress"),
                       plain(message, kMessageWidth + kBarWidth));
  return fmt::format("{}  {} {}  {}", name,
                     style(terminal::Colour::kCyan, terminal::bar(done, total, kBarWidth)),
                     terminal::percent(done, total), plain(message, kMessageWidth));
}

CallBars::CallBars(client::ClientOptions http, const std::string& session,
                   const terminal::Style& style)
    : http_(std::move(http)),
      path_("/v1/sessions/" + percent_encoded(session) + "/events"),
      style_(style),
      shown_(isatty(STDERR_FILENO) != 0) {}

void CallBars::begin_turn() {
  const MutexLock lock(mutex_);
  in_line_ = false;
  if (shown_) thread_ = std::jthread([this](const std::stop_token& stop) { follow(stop); });
}

void CallBars::end_turn() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  const MutexLock lock(mutex_);
  clear();
}

void CallBars::follow(const std::stop_token& stop) {
  auto http = http_;
  http.stop = stop;
  const auto client = client::HttpClient::create(std::move(http));
  if (!client) return;
  tools::http::SseReader reader([&](const tools::http::SseEvent& event) {
    if (const auto json = parse_ordered_json(event.data)) take(*json);
  });
  static_cast<void>((*client)->stream(
      path_, {}, kSilence, [] {},
      [&](std::string_view bytes) { return !stop.stop_requested() && reader.feed(bytes); }));
}

void CallBars::take(const OrderedJson& event) {
  const MutexLock lock(mutex_);
  const auto call = client::cell(event, "call_id");
  if (client::cell(event, "type") == "completed" && call == call_) clear();
  const auto line = bar_line(event, style_);
  // It would end the line that a reply is in.
  if (line.empty() || in_line_) return;
  clear();
  call_ = call;
  fmt::print(stderr, "{}", line);
  std::fflush(stderr);
}

void CallBars::clear() {
  if (call_.empty()) return;
  call_.clear();
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace toolway::cli::talk
