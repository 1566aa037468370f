#include "gateway/calls/call_request.h"

#include <fmt/format.h>

#include "base/ids.h"
#include "base/try.h"
#include "gateway/wire/json_text.h"

namespace toolway::gateway::calls {
namespace {

constexpr std::size_t kMaxToolNameLength = 129;  // namespace.name, 64 bytes each

std::string opaque(wire::BodyReader& reader, std::string_view name) {
  const std::string* text = reader.text(name);
  if (text == nullptr) return {};
  if (!valid_opaque(*text)) {
    reader.wrong(name, "expected 1 to 255 bytes without control characters", "format");
    return {};
  }
  return *text;
}

tools::model::Limits read_limits(wire::BodyReader& reader) {
  tools::model::Limits limits;
  const Json* given = reader.map("limits");
  if (given == nullptr) return limits;
  wire::BodyReader inner(*given, reader.mistakes(), reader.at("limits"));
  inner.only({"queue_ms", "run_ms", "total_ms", "heartbeat_ms"});
  const auto read = [&inner](std::string_view name) {
    return std::chrono::milliseconds(wire::read_count(inner, name));
  };
  limits.queue = read("queue_ms");
  limits.run = read("run_ms");
  limits.total = read("total_ms");
  limits.heartbeat = read("heartbeat_ms");
  return limits;
}

/// `text` is what `json` was parsed from; empty when that is not known.
wire::HttpResult<CallBody> read_call(Json& json, std::string_view text, std::string path,
                                     std::size_t max_arguments_bytes) {
  Mistakes mistakes;
  wire::BodyReader reader(json, mistakes, std::move(path));
  reader.only({"tool", "arguments", "tool_call_id", "topic", "limits"});
  CallBody call;
  if (const std::string* tool = reader.text("tool")) {
    if (tool->empty() || tool->size() > kMaxToolNameLength) {
      reader.wrong("tool", "expected `name` or `namespace.name`", "pattern");
    }
    call.tool = *tool;
  } else if (json.is_object() && !json.contains("tool")) {
    reader.wrong("tool", "it is missing", "required");
  }
  call.tool_call_id = opaque(reader, "tool_call_id");
  call.topic = opaque(reader, "topic");
  call.limits = read_limits(reader);
  const bool has_arguments = reader.map("arguments") != nullptr;
  if (mistakes.count() > 0) return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  if (!has_arguments) {
    call.arguments = Json::object();
    call.arguments_text = "{}";
    return call;
  }
  call.arguments = std::move(json["arguments"]);
  const auto raw = wire::member_text(text, "arguments");
  call.arguments_text = raw ? std::string(*raw) : to_text(call.arguments);
  if (call.arguments_text.size() > max_arguments_bytes) {
    return wire::refuse(ErrorCode::kPayloadTooLarge,
                        fmt::format("the arguments have {} bytes; the limit is {}",
                                    call.arguments_text.size(), max_arguments_bytes));
  }
  return call;
}

}  // namespace

wire::HttpResult<CallBody> parse_call(wire::ParsedBody body, std::size_t max_arguments_bytes) {
  RETURN_IF_ERROR(wire::expect_object(body.json));
  return read_call(body.json, body.text, "", max_arguments_bytes);
}

wire::HttpResult<std::vector<wire::HttpResult<CallBody>>> parse_batch(
    wire::ParsedBody body, std::size_t max_arguments_bytes) {
  RETURN_IF_ERROR(wire::expect_object(body.json));
  Json& json = body.json;
  Mistakes mistakes;
  wire::BodyReader reader(json, mistakes);
  reader.only({"calls"});
  const Json* list = reader.list("calls");
  if (!json.contains("calls")) reader.wrong("calls", "it is missing", "required");
  if (list != nullptr && (list->empty() || list->size() > kMaxBatchCalls)) {
    reader.wrong("calls",
                 fmt::format("expected 1 to {} calls, found {}", kMaxBatchCalls, list->size()),
                 list->empty() ? "minItems" : "maxItems");
  }
  if (mistakes.count() > 0) return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  const auto texts = wire::element_texts(wire::member_text(body.text, "calls").value_or(""));
  std::vector<wire::HttpResult<CallBody>> calls;
  calls.reserve(list->size());
  Json& entries = json["calls"];
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto text = texts.size() == entries.size() ? texts[i] : std::string_view();
    calls.push_back(read_call(entries[i], text, fmt::format("/calls/{}", i), max_arguments_bytes));
  }
  return calls;
}

}  // namespace toolway::gateway::calls
