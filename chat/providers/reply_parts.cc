#include "chat/providers/reply_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids.h"
#include "base/utf8.h"
#include "chat/providers/surrogates.h"
#include "tools/messages/foreign_parts.h"

namespace toolway::chat::providers {
namespace {

using Kind = ProviderError::Kind;
using tools::messages::text_member;

/// Of what a stream says of itself: arguments and thinking are texts inside.
constexpr std::size_t kMaxDepth = 128;
constexpr std::size_t kMaxWords = 300;

bool says(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](auto word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

tl::expected<OrderedJson, ProviderError> event_object(std::string_view data) {
  auto parsed = parse_with_halves(data, kMaxDepth);
  if (!parsed)
    return fail_with(Kind::kBadReply,
                     "the provider sent an event that is not JSON: " + parsed.error().message);
  if (!parsed->is_object())
    return fail_with(Kind::kBadReply, "the provider sent an event that is not an object");
  return std::move(*parsed);
}

const OrderedJson* member(const OrderedJson& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::uint64_t count_member(const OrderedJson& object, std::initializer_list<const char*> names) {
  std::uint64_t sum = 0;
  for (const char* name : names) {
    const auto* count = member(object, name);
    if (count != nullptr && count->is_number_unsigned()) sum += count->get<std::uint64_t>();
  }
  return sum;
}

std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : utf8_prefix(text, kMaxWords))
    line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  if (text.size() > line.size()) line += "…";
  return line;
}

ProviderError error_in(const OrderedJson& error) {
  auto type = text_member(error, "type");
  if (type.empty() || type == "error") type = text_member(error, "code");
  const auto code = text_member(error, "code");
  const auto words =
      without_halves(error.is_string() ? error.get<std::string>() : text_member(error, "message"));
  Kind kind = Kind::kUnavailable;
  if (says(type, {"overloaded"})) kind = Kind::kOverloaded;
  if (says(type, {"rate_limit"})) kind = Kind::kRateLimited;
  if (says(type, {"invalid_request"})) kind = Kind::kRefused;
  if (says(type, {"authentication"})) kind = Kind::kUnauthenticated;
  if (says(code, {"context_length"}) || says(words, {"prompt is too long", "maximum context length",
                                                     "context window", "context_length"}))
    kind = Kind::kTooLong;
  return {kind, fmt::format("the provider reports {}: {}", valid_name(type) ? type : "an error",
                            words.empty() ? "without saying more" : in_one_line(words))};
}

ReplyResult message_of(std::vector<tools::messages::Part> parts, tools::messages::Finish finish,
                       const OrderedJson& response) {
  tools::messages::Message message{.role = tools::messages::Role::kAssistant,
                                   .parts = std::move(parts)};
  const auto calls = tools::messages::calls_of(message).size();
  if (calls > kMaxReplyCalls)
    return fail_with(Kind::kBadReply, fmt::format("the model made {} calls at once; at most {} are "
                                                  "answered",
                                                  calls, kMaxReplyCalls));
  const bool plain =
      finish == tools::messages::Finish::kStop || finish == tools::messages::Finish::kCalls;
  message.finish = !plain      ? finish
                   : calls > 0 ? tools::messages::Finish::kCalls
                               : tools::messages::Finish::kStop;
  message.model = without_halves(text_member(response, "model"));
  return message;
}

ProviderError cut_off() {
  return {Kind::kBadReply,
          "the provider's answer ended in the middle of the reply; send the message again"};
}

}  // namespace toolway::chat::providers
