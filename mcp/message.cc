#include "mcp/message.h"

#include <fmt/format.h>

#include <charconv>

#include "base/try.h"
#include "base/utf8.h"
#include "mcp/json_marks.h"

namespace toolway::mcp {
namespace {

constexpr std::size_t kMaxMethod = 256;
constexpr std::size_t kMaxId = 1024;
constexpr std::size_t kMaxErrorMessage = 16 * 1024;

tl::unexpected<Error> refuse(std::string what) {
  return fail(ErrorCode::kInvalidRequest, std::move(what));
}

Result<RequestId> read_id(const Json& id) {
  if (id.is_string()) {
    const auto& text = id.get_ref<const std::string&>();
    if (text.size() > kMaxId)
      return refuse(fmt::format("an id has {} bytes; the limit is {}", text.size(), kMaxId));
    return RequestId(text);
  }
  if (id.is_number_unsigned() && id.get<std::uint64_t>() > INT64_MAX)
    return refuse("an id is not a number that fits into 64 bits");
  if (id.is_number_integer()) return RequestId(id.get<std::int64_t>());
  return refuse("an id must be a text or a whole number");
}

Result<RpcError> read_error(const Json& error) {
  if (!error.is_object()) return refuse("`error` must be an object");
  const auto code = error.find("code");
  const auto message = error.find("message");
  if (code == error.end() || !code->is_number_integer())
    return refuse("`error.code` must be a whole number");
  if (message == error.end() || !message->is_string())
    return refuse("`error.message` must be a text");
  RpcError read{code->get<std::int64_t>(), message->get<std::string>().substr(0, kMaxErrorMessage),
                error.value("data", Json())};
  while (!valid_utf8(read.message)) read.message.pop_back();
  return read;
}

Result<Message> read_answer(Json& json, std::optional<RequestId> id) {
  const auto result = json.find("result");
  const auto error = json.find("error");
  if (result != json.end() && error != json.end())
    return refuse("an answer has both `result` and `error`");
  if (error != json.end()) {
    ASSIGN_OR_RETURN(auto read, read_error(*error));
    return Answer{std::move(id), tl::unexpected(std::move(read))};
  }
  if (!id) return refuse("an answer has no `id`");
  if (!result->is_object()) return refuse("`result` must be an object");
  return Answer{std::move(id), std::move(*result)};
}

OrderedJson id_json(const RequestId& id) {
  return std::visit([](const auto& value) { return OrderedJson(value); }, id);
}

OrderedJson ordered(const Json& value) { return OrderedJson(value); }

}  // namespace

std::string id_text(const RequestId& id) {
  if (const auto* number = std::get_if<std::int64_t>(&id)) return std::to_string(*number);
  auto text = std::get<std::string>(id).substr(0, 64);
  while (!valid_utf8(text)) text.pop_back();
  return "\"" + text + "\"";
}

Result<Message> message_of(Json json) {
  if (json.is_array())
    return refuse("batches of messages are not supported: send one message per request");
  if (!json.is_object()) return refuse("a message must be an object");
  const auto version = json.find("jsonrpc");
  if (version == json.end() || *version != "2.0") return refuse("`jsonrpc` must be \"2.0\"");
  const bool answers = json.contains("result") || json.contains("error");
  std::optional<RequestId> id;
  if (const auto found = json.find("id");
      found != json.end() && !(found->is_null() && json.contains("error"))) {
    ASSIGN_OR_RETURN(id, read_id(*found));
  }
  const auto method = json.find("method");
  if (method == json.end()) {
    if (!answers) return refuse("a message has neither `method` nor `result` nor `error`");
    return read_answer(json, std::move(id));
  }
  if (answers) return refuse("a message has a `method` and an answer");
  if (!method->is_string() || method->get_ref<const std::string&>().size() > kMaxMethod) {
    return refuse(fmt::format("`method` must be a text of at most {} bytes", kMaxMethod));
  }
  Json params;
  if (const auto found = json.find("params"); found != json.end()) {
    if (!found->is_object()) return refuse("`params` must be an object");
    params = std::move(*found);
  }
  if (id) return Request{*std::move(id), method->get<std::string>(), std::move(params)};
  return Notification{method->get<std::string>(), std::move(params)};
}

std::optional<RequestId> id_of_refused(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const bool answers = json.contains("result") || json.contains("error");
  const auto id = json.find("id");
  if (id == json.end() || (answers && !json.contains("method"))) return std::nullopt;
  auto read = read_id(*id);
  return read ? std::optional(*std::move(read)) : std::nullopt;
}

/// Every value but the first of a list or object has a comma before it.
std::size_t value_count(std::string_view text) {
  std::size_t found = 0;
  for_each_mark(text, [&found](char c) { found += c == ',' || c == '[' || c == '{' ? 1 : 0; });
  return found;
}

Result<Message> decode_message(std::string_view text, const MessageBounds& bounds) {
  if (text.size() > bounds.bytes) {
    return fail(ErrorCode::kPayloadTooLarge,
                fmt::format("a message has {} bytes; the limit is {}", text.size(), bounds.bytes));
  }
  if (const auto values = value_count(text); values > bounds.values) {
    return fail(
        ErrorCode::kPayloadTooLarge,
        fmt::format("a message has about {} values; the limit is {}", values, bounds.values));
  }
  auto json = parse_json(text);
  RETURN_IF_ERROR(json);
  return message_of(*std::move(json));
}

std::optional<RequestId> id_at_beginning(std::string_view text) {
  text = text.substr(0, 512);
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == '}' || text[i] == ']') depth -= depth > 0 ? 1 : 0;
    if (text[i] != '"') continue;
    const auto end = text.find('"', i + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const auto name = text.substr(i + 1, end - i - 1);
    i = end;
    if (depth != 1 || name != "id") continue;
    const auto colon = text.find_first_not_of(" \t", end + 1);
    if (colon == std::string_view::npos || text[colon] != ':') continue;
    const auto at = text.find_first_not_of(" \t", colon + 1);
    if (at == std::string_view::npos) return std::nullopt;
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    // Its last digit may have been cut off.
    if (error == std::errc() && stop != text.data() + text.size()) return RequestId(number);
    return std::nullopt;
  }
  return std::nullopt;
}

std::string encode(const Request& request) {
  OrderedJson json{{"jsonrpc", "2.0"}, {"id", id_json(request.id)}, {"method", request.method}};
  if (!request.params.is_null()) json["params"] = ordered(request.params);
  return to_text(json);
}

std::string encode(const Notification& notification) {
  OrderedJson json{{"jsonrpc", "2.0"}, {"method", notification.method}};
  if (!notification.params.is_null()) json["params"] = ordered(notification.params);
  return to_text(json);
}

std::string encode(const Answer& answer) {
  OrderedJson json{{"jsonrpc", "2.0"}, {"id", answer.id ? id_json(*answer.id) : OrderedJson()}};
  if (answer.result) {
    json["result"] = ordered(*answer.result);
    return to_text(json);
  }
  const auto& error = answer.result.error();
  json["error"] = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) json["error"]["data"] = ordered(error.data);
  return to_text(json);
}

}  // namespace toolway::mcp
