#include "tools/executors/http/http_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/answer_json.h"
#include "base/base64.h"
#include "base/utf8.h"
#include "tools/model/readable.h"

namespace toolway::tools::executors::http {
namespace {

using As = HttpAnswerForm::As;
using Why = tools::http::HttpEnd::Why;

/// How much of an error answer is read, and how much is shown.
constexpr std::size_t kErrorRead = 64UL << 10;
constexpr std::size_t kErrorShown = 4000;

model::ToolError bad_response(std::string message) {
  return {"http_bad_response", std::move(message)};
}

/// Of something that should be JSON.
model::ToolError not_json(std::string what, const Error& error) {
  if (error.code == ErrorCode::kPayloadTooLarge)
    return {"http_too_large", fmt::format("{} is too large: {}", what, error.message)};
  return bad_response(fmt::format("{} is not valid JSON: {}", what, error.message));
}

bool transient(int status) {
  constexpr int kTransient[] = {408, 425, 429, 500, 502, 503, 504};
  return std::find(std::begin(kTransient), std::end(kTransient), status) != std::end(kTransient);
}

std::string media_type(const tools::http::HttpHead& head) {
  const auto* found = tools::http::find_header(head.headers, "content-type");
  return found == nullptr ? std::string() : model::readable(found->substr(0, found->find(';')));
}

std::string limit_name(tools::http::HttpEnd::Limit limit) {
  switch (limit) {
    case tools::http::HttpEnd::Limit::kNone: return "none";
    case tools::http::HttpEnd::Limit::kConnect: return "connect_ms";
    case tools::http::HttpEnd::Limit::kFirstByte: return "first_byte_ms";
    case tools::http::HttpEnd::Limit::kIdle: return "idle_ms";
    case tools::http::HttpEnd::Limit::kTotal: return "total";
  }
  return {};
}

const char* code_of(Why why) {
  switch (why) {
    case Why::kComplete:
    case Why::kEnough:
    case Why::kInternal: return "internal";
    case Why::kCancelled: return "cancelled";
    case Why::kInvalidRequest: return "http_invalid_request";
    case Why::kAddressRefused: return "http_address_refused";
    case Why::kNotResolved: return "http_dns_failed";
    case Why::kNotConnected: return "http_connect_failed";
    case Why::kTlsFailed: return "http_tls_failed";
    case Why::kTimedOut: return "http_timeout";
    case Why::kConnectionLost: return "http_connection_lost";
    case Why::kTooLarge: return "http_too_large";
    case Why::kRedirectRefused: return "http_redirect_refused";
    case Why::kBadResponse: return "http_bad_response";
  }
  return "internal";
}

}  // namespace

model::ToolError error_of(const tools::http::HttpEnd& end) {
  model::ToolError error(code_of(end.why), end.message);
  error.retryable = end.why == Why::kNotResolved || end.why == Why::kNotConnected ||
                    end.why == Why::kTimedOut || end.why == Why::kConnectionLost;
  if (end.why == Why::kTimedOut) error.details = {{"limit", limit_name(end.limit)}};
  return error;
}

HttpAnswer::HttpAnswer(Of of)
    : of_(of),
      events_([this](const tools::http::SseEvent& event) { take_event(event); },
              of.spec.result.max_bytes),
      lines_([this](Json item) { take_item(std::move(item)); }, of.spec.result.max_bytes) {}

tools::http::HttpReceiver::Want HttpAnswer::on_head(const tools::http::HttpHead& head) {
  head_ = head;
  success_ = of_.config.answer.success.contains(head.status);
  if (success_ && of_.config.answer.as == As::kSse && head.status != 204 &&
      media_type(head) != "text/event-stream") {
    const auto type = media_type(head);
    fault_ = bad_response(fmt::format("the answer is not an event stream, but {}",
                                      type.empty() ? "of no media type" : type));
    return Want::kNoMore;
  }
  return Want::kMore;
}

tools::http::HttpReceiver::Want HttpAnswer::on_body(std::string_view piece) {
  if (!success_) {
    body_.append(piece.substr(0, kErrorRead - std::min(kErrorRead, body_.size())));
    return body_.size() < kErrorRead ? Want::kMore : Want::kNoMore;
  }
  if (of_.config.answer.as == As::kSse) return take(events_.feed(piece));
  if (of_.config.answer.as == As::kNdjson) return take(lines_.feed(piece));
  body_.append(piece);
  return Want::kMore;
}

tools::http::HttpReceiver::Want HttpAnswer::take(Result<void> fed) {
  if (!fed && !fault_) {
    fault_ = fed.error().code == ErrorCode::kPayloadTooLarge
                 ? model::ToolError("http_too_large", fed.error().message)
                 : bad_response(fed.error().message);
  }
  return fault_ || until_reached_ ? Want::kNoMore : Want::kMore;
}

void HttpAnswer::take_event(const tools::http::SseEvent& event) {
  if (fault_ || until_reached_) return;
  const auto& form = of_.config.answer;
  if (!form.until.empty() && event.data == form.until) {
    until_reached_ = true;
  } else if (!valid_utf8(event.data)) {
    fault_ = bad_response(fmt::format("event {} is not UTF-8", items_ + 1));
  } else if (!form.json_events) {
    take_item(event.data);
  } else if (auto json = parse_answer(event.data)) {
    take_item(std::move(*json));
  } else {
    fault_ = not_json(fmt::format("event {}", items_ + 1), json.error());
  }
}

void HttpAnswer::take_item(Json item) {
  if (fault_) return;
  auto made = document(std::move(item));
  if (!made) {
    fault_ = made.error();
    return;
  }
  ++items_;
  auto shown = of_.redaction.json(std::move(*made));
  if (of_.spec.multi_step) {
    return of_.progress.report({.progress = static_cast<double>(items_), .data = std::move(shown)});
  }
  kept_.push_back(std::move(shown));
}

model::Execution HttpAnswer::document(Json json) const {
  const auto& form = of_.config.answer;
  if (form.pick) {
    const auto* found = templates::find_at(json, *form.pick);
    if (found == nullptr) {
      return tl::unexpected(
          bad_response(fmt::format("the answer has nothing at {}", form.pick->to_string())));
    }
    json = Json(*found);
  }
  return form.result ? templates::pick(*form.result, json) : std::move(json);
}

model::Execution HttpAnswer::result() {
  switch (of_.config.answer.as) {
    case As::kSse:
    case As::kNdjson:
      if (of_.config.answer.as == As::kNdjson) take(lines_.finish());
      if (fault_) return tl::unexpected(*fault_);
      if (!of_.spec.multi_step) return std::move(kept_);
      return Json{{"items", items_}};
    case As::kBinary: {
      const auto shown = of_.redaction.text(std::move(body_));
      return Json{{"media_type", media_type(head_)},
                  {"encoding", "base64"},
                  {"content", base64(shown)},
                  {"size", shown.size()}};
    }
    case As::kText:
      if (!valid_utf8(body_)) {
        return tl::unexpected(bad_response(
            "the answer is text but not UTF-8; `response: {as: binary}` takes any bytes"));
      }
      return of_.redaction.text(std::move(body_));
    case As::kJson: break;
  }
  if (body_.find_first_not_of(" \t\r\n") == std::string::npos) return Json();
  auto json = parse_answer(body_);
  if (!json) return tl::unexpected(not_json("the answer", json.error()));
  auto made = document(std::move(*json));
  return made ? model::Execution(of_.redaction.json(std::move(*made))) : made;
}

model::ToolError HttpAnswer::status_error(std::chrono::system_clock::time_point now) const {
  const auto found = of_.config.answer.errors.find(head_.status);
  const auto meaning = found == of_.config.answer.errors.end() ? StatusMeaning{} : found->second;
  model::ToolError error(meaning.code, meaning.message);
  if (error.message.empty()) {
    const auto url = tools::http::HttpUrl::parse(head_.url);
    error.message =
        fmt::format("{} answered with status {}", url ? url->origin() : "the server", head_.status);
  }
  error.retryable = meaning.retryable.value_or(transient(head_.status));
  if (const auto* after = tools::http::find_header(head_.headers, "retry-after")) {
    const auto* date = tools::http::find_header(head_.headers, "date");
    error.retry_after =
        parse_retry_after(*after, time_of_server(date == nullptr ? "" : *date, now));
  }
  error.details = {{"status", head_.status}};
  if (body_.empty()) return error;
  if (auto json = parse_json(body_); json && body_.size() <= kErrorShown) {
    error.details["body"] = of_.redaction.json(std::move(*json));
    return error;
  }
  auto shown = of_.redaction.text(model::readable(body_));
  if (shown.size() > kErrorShown) {
    shown.resize(kErrorShown);
    while (!shown.empty() && !valid_utf8(shown)) shown.pop_back();
    shown += "…";
  }
  error.details["body"] = std::move(shown);
  return error;
}

HttpAnswer::AttemptEnd HttpAnswer::conclude(const tools::http::HttpEnd& end,
                                            std::chrono::system_clock::time_point now) {
  AttemptEnd ended;
  if (head_.status == 0 || end.why == Why::kCancelled) {
    ended = {.execution = tl::unexpected(error_of(end)), .failed = failed_attempt(end)};
  } else if (!success_) {
    // Also when its body is cut: the status says more.
    auto error = status_error(now);
    ended.failed = {
        .kind = std::to_string(head_.status), .sent = true, .retry_after = error.retry_after};
    ended.execution = tl::unexpected(std::move(error));
  } else if (fault_) {
    ended.execution = tl::unexpected(*fault_);
  } else if (end.why != Why::kComplete && !until_reached_) {
    ended.execution = tl::unexpected(error_of(end));
  } else {
    ended.execution = result();
  }
  if (!ended.execution) {
    auto& error = ended.execution.error();
    error.message = of_.redaction.text(model::readable(std::move(error.message)));
    error.details = of_.redaction.json(std::move(error.details));
  }
  return ended;
}

}  // namespace toolway::tools::executors::http
