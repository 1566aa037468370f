#include "tests/chaos/rpc_message.h"

#include <sstream>

namespace toolway::chaos {
namespace {

using Kind = RpcMessage::Kind;

std::string json_at(const OrderedJson& object, const char* field) {
  const auto found = object.find(field);
  return found == object.end() ? std::string() : to_text(*found);
}

/// What the id of an event says of the place in the call's log; what is before that is sealed.
std::optional<EventId> place_of(std::string_view sse_id) {
  const auto between = sse_id.rfind(':');
  if (between == std::string_view::npos) return std::nullopt;
  const auto place = sse_id.substr(between + 1);
  return place == "0" ? EventId{} : parse_event_id(place);
}

void read_answer(const OrderedJson& message, RpcMessage& seen) {
  seen.kind = Kind::kAnswer;
  seen.id = json_at(message, "id");
  if (const auto error = message.find("error"); error != message.end()) {
    const auto code = error->is_object() ? error->find("code") : error->end();
    seen.error = error->is_object() && code != error->end() && code->is_number_integer()
                     ? code->get<int>()
                     : -1;
    seen.said = text_at(*error, "message");
    return;
  }
  const auto result = message.find("result");
  if (result == message.end() || !result->is_object()) return;
  seen.reading = reading_of_result(*result);
  if (const auto meta = result->find("_meta"); meta != result->end()) {
    seen.call_id = text_at(*meta, "toolway/call_id");
    seen.code = text_at(*meta, "toolway/code");
  }
  const auto task = result->find("task");
  seen.task = read_task(task == result->end() ? *result : *task);
  if (seen.task) seen.call_id = seen.task->id;
  const auto asks = result->find("inputRequests");
  if (asks != result->end() && asks->is_object() && !seen.task)
    for (const auto& [key, question] : asks->items()) {
      seen.asks.push_back(key);
      const auto params = question.find("params");
      const auto said =
          params == question.end() ? std::nullopt : read_question(text_at(*params, "message"));
      if (said) seen.call_id = said->call_id;
    }
}

void read_request(const OrderedJson& message, RpcMessage& seen) {
  const auto params = message.find("params");
  if (params == message.end() || !params->is_object()) return;
  if (message.contains("id")) {
    seen.kind = Kind::kQuestion;
    seen.id = json_at(message, "id");
    if (const auto said = read_question(text_at(*params, "message"))) {
      seen.asks.push_back(said->key);
      seen.call_id = said->call_id;
    }
  } else if (seen.method == "notifications/progress") {
    seen.kind = Kind::kProgress;
    seen.progress_token = json_at(*params, "progressToken");
    const auto progress = params->find("progress");
    if (progress != params->end() && progress->is_number()) seen.progress = progress->get<double>();
    seen.life = text_at(*params, "message") == "still running";
  } else if (seen.method == "notifications/message") {
    seen.kind = Kind::kLog;
    seen.text = text_at(*params, "data");
  } else if (seen.method == "notifications/tasks" || seen.method == "notifications/tasks/status") {
    seen.task = read_task(*params);
    if (seen.task) seen.call_id = seen.task->id;
  }
}

}  // namespace

std::string token_in(std::string_view text) {
  const auto from = text.find("tok.");
  if (from == std::string_view::npos) return {};
  const auto user = text.find('.', from + 4);
  const auto end = user == std::string_view::npos ? user : text.find('.', user + 1);
  return end == std::string_view::npos ? std::string()
                                       : std::string(text.substr(from, end + 1 - from));
}

std::optional<AskedQuestion> read_question(const std::string& message) {
  std::istringstream words(message);
  AskedQuestion asked;
  if (!(words >> asked.token >> asked.key >> asked.call_id)) return std::nullopt;
  return asked;
}

RpcMessage read_message(const OrderedJson& message, std::string_view sse_id) {
  RpcMessage seen{.at = place_of(sse_id)};
  const auto bytes = to_text(message);
  seen.owners = owners_in(bytes);
  seen.token = token_in(bytes);
  seen.method = text_at(message, "method");
  if (seen.method.empty())
    read_answer(message, seen);
  else
    read_request(message, seen);
  return seen;
}

}  // namespace toolway::chaos
