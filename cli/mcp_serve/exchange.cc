#include "cli/mcp_serve/exchange.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/ids.h"
#include "base/pause.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/client/problem.h"
#include "cli/mcp_serve/tool_lister.h"
#include "mcp/fields.h"

namespace toolway::cli::mcp_serve {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A gateway answers a call that does not stream within 300 s.
constexpr seconds kFirstByte{330};
constexpr milliseconds kFirstDelay{100};
constexpr milliseconds kLongestDelay{2'000};
/// A gateway that refuses each session that it has just opened is not asked for ever.
constexpr int kMaxSessions = 3;

constexpr std::size_t kMaxWords = 1024;

std::string in_words(const AnswerReader& reader) {
  if (const auto json = parse_json(reader.body()))
    if (const auto* error = mcp::member(*json, "error"))
      if (auto said = mcp::short_text(*error, "message", kMaxWords); !said.empty()) return said;
  const auto failure =
      client::failure_of({.status = reader.status(), .body = reader.body()}, terminal::Subject{});
  if (failure.next.empty()) return failure.what;
  const bool advises = failure.what.find(": ") != std::string::npos;
  return fmt::format("{}{} {}", failure.what, advises ? ";" : ":", failure.next);
}

bool may_pass(int status) {
  return status == 409 || status == 429 || status == 502 || status == 503 || status == 504;
}

/// What the answer to `initialize` agrees on.
Agreed agreed_in(const AnswerReader& reader) {
  Agreed agreed{.session = reader.session(),
                .revision = mcp::short_text(reader.result(), "protocolVersion", 32)};
  const auto* can = mcp::member(reader.result(), "capabilities");
  for (const char* list : {"tools", "prompts", "resources"}) {
    const auto* of_list = can == nullptr ? nullptr : mcp::member(*can, list);
    if (of_list != nullptr && mcp::flag(*of_list, "listChanged")) agreed.lists.emplace_back(list);
  }
  return agreed;
}

}  // namespace

struct Exchange::Try {
  const std::string& text;
  const ClientLine& line;
  std::stop_token stop;
  std::string key{};  ///< Idempotency-Key; empty: none is needed
  SaidBefore said{};
  Agreed agreed{};                       ///< that was asked with last
  int sessions = 0;                      ///< that were opened again
  unsigned learned = 0;                  ///< what was known of tools
  bool listed = false;                   ///< the tools, since its headers were refused
  std::optional<seconds> retry_after{};  ///< as the gateway asks
  std::string trouble{};                 ///< of the last try
  bool heard = false;                    ///< the last try's answer began
};

/// A gateway that lists none now is asked all the same: most calls need no more headers.
void Exchange::learn_tools(const Try& attempt) const {
  const auto revision = mcp::parse_revision(attempt.line.revision);
  if (!revision) return;
  const auto learned = parameters_.learn_all(
      attempt.learned, [&] { return list_tools(reached_, *revision, attempt.stop); });
  if (!learned) spdlog::info("cannot list the tools: {}", learned.error().message);
}

Sinks Exchange::sinks_of(const ClientLine& line) const {
  Sinks sinks{.write = write_, .tools_changed = [this] { parameters_.forget(); }};
  if (line.stateless && line.lists_tools())
    sinks.write = [this](const std::string& message) {
      parameters_.learn(message);
      write_(message);
    };
  return sinks;
}

client::HttpClient::Headers Exchange::headers_of(const Try& attempt, const Agreed& agreed) const {
  client::HttpClient::Headers headers{{"Accept", "application/json, text/event-stream"}};
  for (const auto& [name, value] : attempt.line.headers) headers[name] = value;
  if (!attempt.key.empty()) headers["Idempotency-Key"] = attempt.key;
  if (!attempt.line.tool.empty())
    for (auto& [name, value] : parameters_.of(attempt.line.tool, attempt.text))
      headers[name] = std::move(value);
  if (attempt.line.stateless || attempt.line.initializes()) return headers;
  if (!agreed.session.empty()) headers["MCP-Session-Id"] = agreed.session;
  if (!agreed.revision.empty()) headers["MCP-Protocol-Version"] = agreed.revision;
  return headers;
}

Exchange::Next Exchange::ask_once(Try& attempt) const {
  attempt.agreed = board_.now();
  // Made for each request: the file of the token may have another one by now.
  auto http = client::HttpClient::create(reached_.http);
  if (!http) {
    attempt.trouble = http.error().message;
    return Next::kGiveUp;
  }
  const auto& line = attempt.line;
  attempt.learned = parameters_.number();
  if (!line.tool.empty() && !parameters_.knows(line.tool)) {
    learn_tools(attempt);
    attempt.learned = parameters_.number();
  }
  AnswerReader reader(line.id, attempt.said, sinks_of(line),
                      line.tool.empty() || attempt.listed ? AnswerReader::OnMismatch::kTell
                                                          : AnswerReader::OnMismatch::kHoldBack);
  const auto asked = (*http)->post({.target = reached_.path,
                                    .body = attempt.text,
                                    .headers = headers_of(attempt, attempt.agreed),
                                    .first_byte = kFirstByte,
                                    .silence = kSilence,
                                    .stop = attempt.stop},
                                   reader);
  attempt.heard = reader.status() == 200;
  if (attempt.stop.stop_requested() || reader.answered()) return Next::kDone;
  if (!asked) {
    attempt.trouble = asked.error().message;
    return asked.error().code == ErrorCode::kInvalidRequest ? Next::kGiveUp : Next::kAgain;
  }
  return read_status(attempt, reader);
}

Exchange::Next Exchange::read_status(Try& attempt, AnswerReader& reader) const {
  const auto& line = attempt.line;
  const int status = reader.status();
  if (status == 404 && !line.stateless && !line.initializes() && !attempt.agreed.session.empty() &&
      attempt.sessions < kMaxSessions)
    return Next::kNewSession;
  if (may_pass(status)) {
    int wait_s = 0;
    attempt.retry_after.reset();
    if (parse_number(reader.retry_after(), wait_s) && wait_s >= 0)
      attempt.retry_after = seconds(wait_s);
    attempt.trouble = in_words(reader);
    return Next::kAgain;
  }
  if (reader.too_large()) {
    attempt.trouble = fmt::format("the gateway's answer has more than {} MiB", kMaxMessage >> 20);
    return Next::kGiveUp;
  }
  reader.end();
  if (line.initializes() && reader.answered() && !reader.session().empty())
    board_.agree(attempt.text, agreed_in(reader));
  if (reader.mismatch()) return Next::kNewHeaders;
  if (reader.answered() || (!line.is_request() && status < 300)) return Next::kDone;
  if (reader.streams()) {
    attempt.trouble = "the gateway's answer ended too early";
    return Next::kAgain;
  }
  attempt.trouble = in_words(reader);
  return Next::kGiveUp;
}

Result<Agreed> Exchange::handshake(const Agreed& before, const std::stop_token& stop) const {
  ASSIGN_OR_RETURN(const auto line,
                   read_client_line(before.initialize).map_error([](const std::string& text) {
                     return Error{ErrorCode::kInternal, text};
                   }));
  ASSIGN_OR_RETURN(const auto http, client::HttpClient::create(reached_.http));
  SaidBefore said;
  const Sinks nowhere{.write = [](const std::string&) {}};
  AnswerReader reader(line.id, said, nowhere);
  client::HttpClient::Headers headers{{"Accept", "application/json, text/event-stream"}};
  RETURN_IF_ERROR(http->post({.target = reached_.path,
                              .body = before.initialize,
                              .headers = headers,
                              .first_byte = kFirstByte,
                              .silence = kSilence,
                              .stop = stop},
                             reader));
  reader.end();
  if (reader.status() == 404) return fail(ErrorCode::kUnknownSession, in_words(reader));
  if (reader.session().empty())
    return fail(ErrorCode::kBusUnavailable,
                fmt::format("the gateway opened no session: {}", in_words(reader)));
  auto made = agreed_in(reader);
  if (made.revision != before.revision)
    spdlog::warn("the gateway speaks revision {} now, not {}", made.revision, before.revision);
  headers["MCP-Session-Id"] = made.session;
  headers["MCP-Protocol-Version"] = made.revision;
  AnswerReader none(std::nullopt, said, nowhere);
  RETURN_IF_ERROR(http->post({.target = reached_.path,
                              .body = mcp::encode(mcp::Notification{
                                  .method = "notifications/initialized", .params = nullptr}),
                              .headers = headers,
                              .first_byte = kFirstByte,
                              .silence = kSilence,
                              .stop = stop},
                             none));
  spdlog::info("the gateway did not know the session any more: opened it again");
  return made;
}

void Exchange::give_up(const Try& attempt) const {
  if (attempt.stop.stop_requested()) return;
  if (!attempt.line.is_request()) {
    spdlog::warn("the gateway did not take {}: {}",
                 attempt.line.method.empty() ? "an answer" : attempt.line.method, attempt.trouble);
    return;
  }
  write_(error_line(attempt.line.id, mcp::kInternalError, attempt.trouble));
}

void Exchange::run(const std::string& text, const ClientLine& line, std::stop_token stop) const {
  Try attempt{.text = text, .line = line, .stop = std::move(stop)};
  if (line.calls_tool()) attempt.key = "mcp-serve-" + random_hex(16);
  auto patience_ends = reached_.clock.monotonic() + reached_.patience;
  auto delay = kFirstDelay;
  for (;;) {
    auto next = ask_once(attempt);
    if (next == Next::kNewSession) {
      ++attempt.sessions;
      const auto renewed = board_.renew(attempt.agreed.number, [&](const Agreed& before) {
        return handshake(before, attempt.stop);
      });
      if (renewed) continue;
      attempt.trouble = renewed.error().message;
      // What it names was deleted: it does not come back by asking.
      next = renewed.error().code == ErrorCode::kUnknownSession ? Next::kGiveUp : Next::kAgain;
    }
    if (next == Next::kNewHeaders) {
      learn_tools(attempt);
      attempt.listed = true;
      continue;
    }
    if (next == Next::kDone) return;
    if (attempt.heard) patience_ends = reached_.clock.monotonic() + reached_.patience;
    const auto wait = std::max<milliseconds>(delay, attempt.retry_after.value_or(seconds(0)));
    if (next == Next::kGiveUp || reached_.clock.monotonic() + wait > patience_ends)
      return give_up(attempt);
    spdlog::info("asking again: {}", attempt.trouble);
    if (!pause(wait, attempt.stop)) return;
    delay = std::min(delay * 2, kLongestDelay);
  }
}

}  // namespace toolway::cli::mcp_serve
