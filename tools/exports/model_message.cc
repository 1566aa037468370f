#include "tools/exports/model_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/ids.h"
#include "base/strict_json.h"
#include "base/try.h"

namespace toolway::tools::exports {
namespace {

/// Nothing, or what is wrong with the whole message.
using Read = tl::expected<void, schema::Violation>;
using Calls = tl::expected<std::vector<ModelCall>, schema::Violation>;

tl::unexpected<schema::Violation> refuse(std::string pointer, std::string keyword,
                                         std::string what) {
  return tl::unexpected(schema::Violation{
      .place = std::move(pointer), .message = std::move(what), .keyword = std::move(keyword)});
}

Error wrong(ErrorCode code, std::string message) { return Error{code, std::move(message)}; }

/// A member of an object; null when there is none, or it is null.
Json* member(Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string text_of(Json& object, std::string_view name) {
  Json* text = member(object, name);
  return text != nullptr && text->is_string() ? std::move(text->get_ref<std::string&>())
                                              : std::string();
}

bool is_type(Json& object, std::string_view type) {
  const Json* found = member(object, "type");
  return found != nullptr && *found == type;
}

/// What comes around a message: {"message": …}, and a whole response with its first choice.
Json unwrapped(Json message, ModelApi api) {
  constexpr int kLayers = 3;  // {"message": {"choices": [{"message": …}]}}
  for (int i = 0; i < kLayers; ++i) {
    Json* inner = member(message, "message");
    if (inner != nullptr && (inner->is_object() || inner->is_array())) {
      message = Json(std::move(*inner));
      continue;
    }
    Json* choices = api == ModelApi::kOpenAi ? member(message, "choices") : nullptr;
    if (choices == nullptr || !choices->is_array() || choices->empty()) break;
    message = Json(std::move(choices->front()));
  }
  return message;
}

/// Reads the calls of one message into a list.
class Reader {
 public:
  Reader(ModelApi api, const ModelMessageBounds& bounds) : api_(api), bounds_(bounds) {}

  Calls read(Json message) {
    const bool responses = api_ == ModelApi::kOpenAiResponses;
    if (!message.is_object() && !(responses && message.is_array())) {
      return refuse("", "type", "expected an object");
    }
    if (const Json* role = member(message, "role"); role != nullptr && *role != "assistant") {
      return refuse("/role", "enum", "expected assistant: a model's own message");
    }
    auto done = api_ == ModelApi::kOpenAi      ? chat(message)
                : api_ == ModelApi::kAnthropic ? blocks(message)
                                               : items(message);
    RETURN_IF_ERROR(done);
    return std::move(calls_);
  }

  Calls read_neutral(Json body) {
    if (!body.is_object()) return refuse("", "type", "expected an object");
    RETURN_IF_ERROR(only(body, "", {"calls"}));
    Json* list = member(body, "calls");
    if (list == nullptr) return refuse("/calls", "required", "it is missing");
    if (!list->is_array()) return refuse("/calls", "type", "expected a list");
    RETURN_IF_ERROR(bounded(list->size(), "/calls"));
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string pointer = fmt::format("/calls/{}", i);
      ModelCall call;
      RETURN_IF_ERROR(take_id((*list)[i], "id", pointer, call));
      RETURN_IF_ERROR(only((*list)[i], pointer, {"id", "tool", "arguments"}));
      call.tool = text_of((*list)[i], "tool");
      take_arguments(member((*list)[i], "arguments"), call);
      take(std::move(call));
    }
    return std::move(calls_);
  }

 private:
  static Read only(const Json& object, const std::string& pointer,
                   std::initializer_list<std::string_view> names) {
    for (const auto& [name, value] : object.items())
      if (std::ranges::find(names, name) == names.end())
        return refuse(pointer + "/" + name, "additionalProperties", "there is no such member");
    return {};
  }

  Read chat(Json& message) {
    Json* list = member(message, "tool_calls");
    if (list == nullptr) {
      if (member(message, "function_call") != nullptr) {
        return refuse("/function_call", "additionalProperties",
                      "it has no id to answer; give the model `tools` instead of `functions`");
      }
      if (!message.contains("role") && !message.contains("content")) {
        return refuse(
            "", "required",
            "neither tool_calls, nor role, nor content: not an assistant message of Chat Completions");
      }
      return {};
    }
    if (!list->is_array()) return refuse("/tool_calls", "type", "expected a list");
    RETURN_IF_ERROR(bounded(list->size(), "/tool_calls"));
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string pointer = fmt::format("/tool_calls/{}", i);
      Json& entry = (*list)[i];
      ModelCall call;
      RETURN_IF_ERROR(take_id(entry, "id", pointer, call));
      Json* function = member(entry, "function");
      call.custom = is_type(entry, "custom");
      if (call.custom || function == nullptr) {
        Json* custom = member(entry, "custom");
        call.tool = custom != nullptr ? text_of(*custom, "name") : std::string();
        call.wrong = wrong(ErrorCode::kInvalidRequest, "only calls of type function are run");
      } else {
        call.tool = text_of(*function, "name");
        take_arguments(member(*function, "arguments"), call);
      }
      take(std::move(call));
    }
    return {};
  }

  Read blocks(Json& message) {
    Json* list = member(message, "content");
    if (list == nullptr)
      return refuse("/content", "required",
                    "it is missing: not an assistant message of the Messages API");
    if (list->is_string()) return {};
    if (!list->is_array()) return refuse("/content", "type", "expected a list of blocks");
    return take_typed(*list, "/content", "tool_use", "id", "input");
  }

  Read items(Json& message) {
    if (message.is_array()) return take_typed(message, "", "function_call", "call_id", "arguments");
    Json* list = member(message, "output");
    if (list == nullptr && is_type(message, "function_call")) {
      Json alone = Json::array();
      alone.push_back(std::move(message));
      return take_typed(alone, "", "function_call", "call_id", "arguments");
    }
    if (list == nullptr)
      return refuse(
          "/output", "required",
          "it is missing: neither a response of the Responses API nor a list of its items");
    if (!list->is_array()) return refuse("/output", "type", "expected a list of items");
    return take_typed(*list, "/output", "function_call", "call_id", "arguments");
  }

  /// The elements of one type among others: text, reasoning, what the API runs itself.
  Read take_typed(Json& list, std::string_view path, std::string_view type,
                  std::string_view id_name, std::string_view arguments_name) {
    const auto is_custom = [this](Json& element) {
      return api_ == ModelApi::kOpenAiResponses && is_type(element, "custom_tool_call");
    };
    const auto is_call = [&](Json& element) {
      return is_custom(element) || is_type(element, type);
    };
    const auto count = std::count_if(list.begin(), list.end(), is_call);
    RETURN_IF_ERROR(bounded(static_cast<std::size_t>(count), path));
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!is_call(list[i])) continue;
      const bool custom = is_custom(list[i]);
      ModelCall call;
      RETURN_IF_ERROR(take_id(list[i], id_name, fmt::format("{}/{}", path, i), call));
      call.custom = custom;
      call.tool = text_of(list[i], "name");
      if (custom) {
        call.wrong = wrong(ErrorCode::kInvalidRequest, "only calls of type function are run");
      } else {
        take_arguments(member(list[i], arguments_name), call);
      }
      take(std::move(call));
    }
    return {};
  }

  Read bounded(std::size_t count, std::string_view path) const {
    if (count <= bounds_.answered) return {};
    return refuse(
        std::string(path), "maxItems",
        fmt::format("the message has {} calls; at most {} are answered, and {} of them run", count,
                    bounds_.answered, bounds_.calls));
  }

  static Read take_id(Json& entry, std::string_view name, const std::string& pointer,
                      ModelCall& call) {
    if (!entry.is_object()) return refuse(pointer, "type", "expected an object");
    call.id = text_of(entry, name);
    if (valid_opaque(call.id)) return {};
    return refuse(
        fmt::format("{}/{}", pointer, name), "required",
        "expected 1 to 255 bytes without control characters: a call without an id cannot be answered");
  }

  /// A string of JSON, which models get wrong at times, or the object itself; nothing at
  /// all, or an empty string, is a call without arguments.
  void take_arguments(Json* given, ModelCall& call) const {
    call.arguments = Json::object();
    call.arguments_text = "{}";
    if (call.tool.empty()) {
      call.wrong = wrong(ErrorCode::kInvalidRequest, "the call names no tool");
      return;
    }
    if (given == nullptr) return;
    Json value;
    std::string text;
    if (given->is_string()) {
      text = std::move(given->get_ref<std::string&>());
      if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
      if (too_large(text.size(), call)) return;
      auto parsed = parse_strict_json(text);
      if (!parsed) {
        call.wrong = wrong(ErrorCode::kInvalidArguments,
                           "the arguments are not JSON: " + parsed.error().message);
        return;
      }
      value = std::move(*parsed);
    } else {
      value = std::move(*given);
      text = to_text(value);
      if (too_large(text.size(), call)) return;
    }
    if (!value.is_object()) {
      call.wrong =
          wrong(ErrorCode::kInvalidArguments,
                fmt::format("the arguments must be a JSON object, found {}", value.type_name()));
      return;
    }
    call.arguments = std::move(value);
    call.arguments_text = std::move(text);
  }

  bool too_large(std::size_t bytes, ModelCall& call) const {
    if (bytes <= bounds_.arguments_bytes) return false;
    call.wrong = wrong(ErrorCode::kPayloadTooLarge,
                       fmt::format("the arguments have {} bytes; the limit is {}", bytes,
                                   bounds_.arguments_bytes));
    return true;
  }

  void take(ModelCall call) {
    const auto [seen, first] = by_id_.emplace(call.id, calls_.size());
    if (!first) {
      ModelCall& earlier = calls_[seen->second];
      const bool same = earlier.tool == call.tool && earlier.arguments == call.arguments &&
                        earlier.wrong.has_value() == call.wrong.has_value();
      if (same) return;
      earlier.wrong =
          wrong(ErrorCode::kInvalidRequest,
                "several different calls have this id, and only one result can answer it: "
                "none of them was run; call again, each with an id of its own");
      return;
    }
    if (calls_.size() >= bounds_.calls && !call.wrong) {
      call.wrong =
          wrong(ErrorCode::kInvalidRequest,
                fmt::format("at most {} calls of one message are run; make this call again",
                            bounds_.calls));
    }
    calls_.push_back(std::move(call));
  }

  const ModelApi api_;
  const ModelMessageBounds bounds_;
  std::vector<ModelCall> calls_;
  std::unordered_map<std::string, std::size_t> by_id_;
};

}  // namespace

std::optional<ModelApi> parse_model_api(std::string_view name) {
  if (name == "openai") return ModelApi::kOpenAi;
  if (name == "openai-responses") return ModelApi::kOpenAiResponses;
  if (name == "anthropic") return ModelApi::kAnthropic;
  return std::nullopt;
}

tl::expected<std::vector<ModelCall>, schema::Violation> parse_model_message(
    Json message, ModelApi api, const ModelMessageBounds& bounds) {
  return Reader(api, bounds).read(unwrapped(std::move(message), api));
}

tl::expected<std::vector<ModelCall>, schema::Violation> parse_neutral_calls(
    Json body, const ModelMessageBounds& bounds) {
  return Reader(ModelApi::kOpenAi, bounds).read_neutral(std::move(body));
}

}  // namespace toolway::tools::exports
