#include "chat/providers/answer_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "base/back_off.h"
#include "base/text.h"
#include "chat/providers/reply_parts.h"
#include "tools/executors/http/http_retry.h"
#include "tools/messages/foreign_parts.h"

namespace toolway::chat::providers {
namespace {

using Kind = ProviderError::Kind;
using std::chrono::milliseconds;
using Why = tools::http::HttpEnd::Why;

constexpr unsigned kMaxTries = 3;
constexpr milliseconds kFirstDelay{500};
constexpr milliseconds kLongestDelay{8'000};
constexpr milliseconds kLongestAsked{60'000};

std::string_view header(const tools::http::HttpHeaders& headers, std::string_view name) {
  const auto* value = tools::http::find_header(headers, name);
  return value != nullptr ? std::string_view(*value) : std::string_view();
}

/// The `error` of a body of one of the APIs; null: it has none.
OrderedJson error_object(const FailedAnswer& answer) {
  const auto body = parse_ordered_json(answer.body);
  if (!body) return {};
  const auto* error = member(*body, "error");
  return error != nullptr ? *error : *body;
}

std::string words_of(const OrderedJson& error) {
  const auto words =
      error.is_string() ? error.get<std::string>() : tools::messages::text_member(error, "message");
  return words.empty() ? "it did not say why" : in_one_line(words);
}

bool is_html(const FailedAnswer& answer) {
  return lowered(header(answer.headers, "content-type")).starts_with("text/html");
}

/// What came instead of events, in words.
std::string kind_of(const FailedAnswer& answer) {
  if (is_html(answer)) return "a web page";
  const auto type = header(answer.headers, "content-type");
  return type.empty() ? "bytes without a content type" : "content of type " + in_one_line(type);
}

bool is_too_long(const OrderedJson& error) { return error_in(error).kind == Kind::kTooLong; }

/// How long the answer asks to wait; nothing: it does not say so, or not in a form that there is.
std::optional<milliseconds> asked_delay(const tools::http::HttpHeaders& headers, WallTime now) {
  double ms = 0;
  if (parse_number(header(headers, "retry-after-ms"), ms) && ms >= 0 && ms < 1e9)
    return milliseconds(static_cast<std::int64_t>(ms));
  const auto after = header(headers, "retry-after");
  if (after.empty()) return std::nullopt;
  const auto ours = std::chrono::time_point_cast<std::chrono::system_clock::duration>(now);
  return tools::executors::http::parse_retry_after(
      after, tools::executors::http::time_of_server(header(headers, "date"), ours));
}

std::string later(std::optional<milliseconds> delay) {
  if (!delay || delay->count() == 0) return "; try again later";
  const auto seconds = std::chrono::duration<double>(*delay).count();
  return fmt::format("; it asks to wait {:.4g} s", seconds);
}

bool has_any(std::string_view words, std::initializer_list<std::string_view> wanted) {
  const auto text = lowered(words);
  return std::ranges::any_of(wanted,
                             [&](auto word) { return text.find(word) != std::string::npos; });
}

bool tells_parameter(std::string_view words) {
  return has_any(
      words, {"unsupported", "not supported", "does not support", "deprecated", "unknown parameter",
              "unrecognized", "not permitted", "only the default", "not allowed"});
}

/// Whether a request has the parameter: at its top, or, as `cache_control`, further down.
bool has_parameter(const OrderedJson& sent, const std::string& name) {
  if (sent.contains(name)) return true;
  return name == "cache_control" &&
         ((sent.contains("tools") && sent["tools"].back().contains(name)) ||
          (sent.contains("system") && sent["system"].is_array()));
}

ProviderError failure_of(const FailedAnswer& answer, std::string_view key_name,
                         std::optional<milliseconds> delay) {
  const int status = answer.status;
  const auto error = error_object(answer);
  if (status == 200)
    return {Kind::kBadReply,
            fmt::format("the provider answered with {} instead of a stream of events: check "
                        "TOOLWAY_AI_BASE_URL",
                        kind_of(answer))};
  // What it says of a key may hold the key.
  if (status == 401)
    return {Kind::kUnauthenticated,
            fmt::format("the provider does not take the key (401): check {}", key_name)};
  if (status == 403)
    return {Kind::kDenied,
            fmt::format("the provider does not let this key use the model (403): check {} and "
                        "TOOLWAY_AI_MODEL",
                        key_name)};
  if (is_html(answer))
    return {Kind::kUnavailable,
            fmt::format("the provider's address answered with a web page ({}): check "
                        "TOOLWAY_AI_BASE_URL",
                        status)};
  if (status == 413 || (status >= 400 && status < 500 && is_too_long(error)))
    return {Kind::kTooLong, fmt::format("the conversation is too long for the model ({}): {}",
                                        status, words_of(error))};
  if (status == 404)
    return {Kind::kUnknownModel,
            fmt::format("the provider does not know the model, or the path (404): {}; check "
                        "TOOLWAY_AI_MODEL and TOOLWAY_AI_BASE_URL",
                        words_of(error))};
  if (status == 429)
    return {Kind::kRateLimited,
            fmt::format("the provider limits requests (429): {}{}", words_of(error), later(delay))};
  if (status == 529 || status == 503)
    return {Kind::kOverloaded,
            fmt::format("the provider is overloaded ({}){}", status, later(delay))};
  if (status >= 500 || status == 408)
    return {Kind::kUnavailable,
            fmt::format("the provider failed ({}): {}", status, words_of(error))};
  return {Kind::kRefused,
          fmt::format("the provider refused the request ({}): {}", status, words_of(error))};
}

}  // namespace

ProviderError error_of(const FailedAnswer& answer, std::string_view key_name, WallTime now) {
  const auto delay = asked_delay(answer.headers, now);
  auto made = failure_of(answer, key_name, delay);
  made.retry_after = delay;
  return made;
}

ProviderError error_of(const tools::http::HttpEnd& end) {
  switch (end.why) {
    case Why::kCancelled: return {Kind::kStopped, "the turn was stopped"};
    case Why::kTimedOut: return {Kind::kTimedOut, end.message};
    case Why::kTooLarge:
      return {Kind::kBadReply, "the provider's answer is too large: " + end.message};
    case Why::kBadResponse: return {Kind::kBadReply, end.message};
    case Why::kAddressRefused:
      return {Kind::kNotConfigured,
              end.message +
                  "; TOOLWAY_AI_ALLOW_ADDRESSES names addresses that may be reached "
                  "though they are not public"};
    case Why::kInvalidRequest: return {Kind::kNotConfigured, end.message};
    case Why::kComplete:
    case Why::kEnough:
    case Why::kNotResolved:
    case Why::kNotConnected:
    case Why::kTlsFailed:
    case Why::kConnectionLost:
    case Why::kRedirectRefused:
    case Why::kInternal: break;
  }
  return {Kind::kUnavailable, end.message};
}

std::optional<std::string> refused_parameter(const FailedAnswer& answer, const OrderedJson& sent,
                                             const LeftOut& optional) {
  if (answer.status != 400 && answer.status != 422) return std::nullopt;
  const auto error = error_object(answer);
  const auto words = words_of(error);
  if (!tells_parameter(words)) return std::nullopt;
  const auto param = tools::messages::text_member(error, "param");
  std::optional<std::string> first;
  auto first_at = std::string::npos;
  for (const auto& name : optional) {
    if (!has_parameter(sent, name)) continue;
    if (param == name) return name;
    if (const auto at = words.find(name); at < first_at) {
      first = name;
      first_at = at;
    }
  }
  return param.empty() ? first : std::nullopt;
}

BlocksRefused refused_blocks(const FailedAnswer& answer, const LeftOut& optional) {
  const int status = answer.status;
  if (status < 400 || status == 401 || status == 403 || status == 429) return BlocksRefused::kNo;
  const auto error = error_object(answer);
  if (optional.contains(tools::messages::text_member(error, "param"))) return BlocksRefused::kNo;
  const auto words = words_of(error);
  // A manual that it points to is none of the documents.
  const bool document = has_any(words, {"document"}) && !has_any(words, {"documentation"});
  const bool named = document || has_any(words, {"image", "pdf", "vision", "multimodal",
                                                 "input_file", "media type", "media_type"});
  // What is wrong with one of them, and not with the model.
  const bool this_one = has_any(words, {"format", "media type", "media_type", "to process",
                                        "not process", "exceed", "too large", "maximum", "pages",
                                        "password", "decode", "dimension", "corrupt", "damaged"});
  const bool none = has_any(words, {"support", "at most 0", "not enabled", "no vision", "text only",
                                    "text-only", "cannot read", "not accept"});
  if (named && none && !this_one) return BlocksRefused::kAlways;
  if (named && status < 500) return BlocksRefused::kThisTime;
  // A server that takes a text as a result, and no list.
  const bool list = has_any(words, {"valid string", "expected a string", "expected string",
                                    "must be a string", "should be a string"});
  if (list && status < 500) return BlocksRefused::kAlways;
  const bool perhaps = status == 400 || status == 413 || status == 415 || status == 422;
  return perhaps ? BlocksRefused::kPerhaps : BlocksRefused::kNo;
}

std::optional<milliseconds> retry_delay(const FailedAnswer& answer, unsigned tries, WallTime now) {
  if (tries >= kMaxTries || answer.status == 200) return std::nullopt;
  const auto should = header(answer.headers, "x-should-retry");
  const int status = answer.status;
  const bool worth = status == 408 || status == 409 || status == 429 || status >= 500;
  if (should == "false" || (should != "true" && !worth)) return std::nullopt;
  const auto asked = asked_delay(answer.headers, now);
  if (asked && *asked > kLongestAsked) return std::nullopt;
  return asked ? *asked : doubled(kFirstDelay, tries - 1, kLongestDelay);
}

std::optional<milliseconds> retry_delay(const tools::http::HttpEnd& end, unsigned tries) {
  const bool worth = end.why == Why::kNotConnected || end.why == Why::kNotResolved ||
                     end.why == Why::kConnectionLost ||
                     end.limit == tools::http::HttpEnd::Limit::kConnect;
  if (tries >= kMaxTries || !worth) return std::nullopt;
  return doubled(kFirstDelay, tries - 1, kLongestDelay);
}

}  // namespace toolway::chat::providers
