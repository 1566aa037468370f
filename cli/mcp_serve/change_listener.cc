#include "cli/mcp_serve/change_listener.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/pause.h"
#include "cli/client/http_client.h"
#include "cli/mcp_serve/answer_reader.h"
#include "mcp/client_messages.h"
#include "mcp/message.h"
#include "mcp/revision.h"
#include "tools/http/sse_reader.h"

namespace toolway::cli::mcp_serve {
namespace {

/// Whether there is such a stream in the session.
bool has_stream(const Agreed& agreed) {
  const auto revision = mcp::parse_revision(agreed.revision);
  return !agreed.session.empty() && revision &&
         mcp::rules_of(*revision).changes == mcp::Changes::kUnasked;
}

}  // namespace

ChangeListener::ChangeListener(const Reached& reached, const SessionBoard& board, Sinks sinks,
                               ListenPace pace)
    : reached_(reached),
      board_(board),
      sinks_(std::move(sinks)),
      pace_(pace),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ChangeListener::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto agreed = board_.now();
    std::stop_source over;
    const std::stop_callback ended(stop, [&over] { over.request_stop(); });
    const std::stop_callback replaced(agreed.replaced, [&over] { over.request_stop(); });
    listen(agreed, over.get_token());
  }
}

void ChangeListener::listen(const Agreed& agreed, const std::stop_token& stop) {
  auto next = has_stream(agreed) ? Next::kAgain : Next::kNever;
  auto delay = pace_.first;
  while (next == Next::kAgain) {
    const auto began = reached_.clock.monotonic();
    next = ask_once(agreed, stop);
    if (stop.stop_requested()) return;
    if (reached_.clock.monotonic() - began >= pace_.longest) delay = pace_.first;
    if (delay == pace_.first) spdlog::info("no stream of changes now: {}", trouble_);
    if (next == Next::kAgain &&
        !pause(std::clamp(asked_to_wait_, delay, std::max(delay, pace_.longest)), stop))
      return;
    delay = std::min(delay * 2, pace_.longest);
  }
  // Another handshake may bring one.
  while (pause(std::chrono::hours(1), stop)) continue;
}

ChangeListener::Next ChangeListener::ask_once(const Agreed& agreed, const std::stop_token& stop) {
  asked_to_wait_ = {};
  auto options = reached_.http;
  options.stop = stop;
  const auto http = client::HttpClient::create(std::move(options));
  if (!http) {
    trouble_ = http.error().message;
    return Next::kAgain;
  }
  tools::http::SseReader events([this](const tools::http::SseEvent& event) { message(event.data); },
                                kMaxMessage);
  const auto answer = (*http)->stream(
      reached_.path,
      {{"MCP-Session-Id", agreed.session}, {"MCP-Protocol-Version", agreed.revision}}, kSilence,
      [&] { opened(agreed); }, [&](std::string_view bytes) { return bool(events.feed(bytes)); });
  missed_ = true;
  asked_to_wait_ = events.retry().value_or(std::chrono::milliseconds(0));
  trouble_ =
      answer ? fmt::format("the gateway answered HTTP {}", answer->status) : answer.error().message;
  // A gateway that has none says so with 405.
  return answer && answer->status == 405 ? Next::kNever : Next::kAgain;
}

void ChangeListener::opened(const Agreed& agreed) {
  if (!std::exchange(missed_, false)) return;
  for (const auto& list : agreed.lists)
    message(mcp::encode(
        mcp::Notification{.method = fmt::format("notifications/{}/list_changed", list)}));
}

void ChangeListener::message(const std::string& text) {
  if (text.empty()) return;
  const auto decoded = mcp::decode_message(text, kMessageBounds);
  if (!decoded) return spdlog::warn("the gateway sent no message: {}", decoded.error().message);
  // It answers nothing here.
  if (std::holds_alternative<mcp::Answer>(*decoded)) return;
  const auto* notification = std::get_if<mcp::Notification>(&*decoded);
  if (notification != nullptr && mcp::is_tools_changed(*notification)) sinks_.tools_changed();
  sinks_.write(on_one_line(text));
}

}  // namespace toolway::cli::mcp_serve
