#include "tests/chaos/reading.h"

#include <fmt/format.h>

#include <functional>

#include "tests/chaos/event_seen.h"

namespace toolway::chaos {
namespace {

constexpr std::size_t kShown = 80;

std::size_t digest(const std::string& text) { return std::hash<std::string>{}(text); }

/// JSON as it is read, and any other text as it is.
std::string plain(const std::string& text) {
  if (!text.starts_with('{') && !text.starts_with('[')) return text;
  const auto json = parse_ordered_json(text, 1000);
  return json ? to_text(*json) : text;
}

std::string first_text(const OrderedJson& result) {
  const auto content = result.find("content");
  if (content == result.end() || !content->is_array() || content->empty()) return {};
  return text_at(content->front(), "text");
}

Reading reading(std::string outcome, std::string code, const std::string& text) {
  return {.outcome = std::move(outcome),
          .code = std::move(code),
          .text = text.substr(0, kShown),
          .same = text.empty() ? 0 : digest(plain(text))};
}

}  // namespace

Reading reading_of_call(const OrderedJson& call) {
  const auto outcome = text_at(call, "outcome");
  if (outcome != "succeeded") {
    const auto error = call.find("error");
    const bool there = error != call.end() && error->is_object();
    return reading(outcome, there ? text_at(*error, "code") : "",
                   there ? text_at(*error, "message") : "");
  }
  const auto result = call.find("result");
  if (result == call.end() || result->is_null()) return reading(outcome, "", "");
  return reading(outcome, "", result->is_string() ? result->get<std::string>() : to_text(*result));
}

std::optional<Reading> reading_of_result(const OrderedJson& result) {
  if (!result.is_object() || !result.contains("content")) return std::nullopt;
  const auto meta = result.find("_meta");
  if (meta == result.end() || text_at(*meta, "toolway/call_id").empty()) return std::nullopt;
  // It says that the call was accepted, and no more.
  if (meta->contains("toolway/status")) return std::nullopt;
  const auto text = first_text(result);
  const bool error = result.contains("isError") && result["isError"] == true;
  auto read = error
                  ? reading(text_at(*meta, "toolway/outcome"), text_at(*meta, "toolway/code"), text)
                  : reading("succeeded", "", text);
  read.bytes = text.empty() ? 0 : digest(text);
  return read;
}

std::string difference(const Reading& one, const Reading& other) {
  if (one.outcome != other.outcome) return fmt::format("{} against {}", one.outcome, other.outcome);
  if (one.code != other.code) return fmt::format("code {} against {}", one.code, other.code);
  const bool said = one.same != 0 && other.same != 0;
  if (said && one.same != other.same)
    return fmt::format("\"{}\" against \"{}\"", one.text, other.text);
  if (one.bytes != 0 && other.bytes != 0 && one.bytes != other.bytes)
    return fmt::format("other bytes: \"{}\" against \"{}\"", one.text, other.text);
  return {};
}

std::optional<TaskSeen> read_task(const OrderedJson& task) {
  TaskSeen seen{.id = text_at(task, "taskId"), .status = text_at(task, "status")};
  if (seen.id.empty()) return std::nullopt;
  if (const auto asks = task.find("inputRequests"); asks != task.end() && asks->is_object())
    for (const auto& [key, question] : asks->items()) seen.asks.push_back(key);
  if (const auto result = task.find("result"); result != task.end())
    seen.reading = reading_of_result(*result);
  return seen;
}

std::string status_of(const std::string& outcome, bool only_protocol_errors_fail) {
  if (outcome.empty()) return "working";
  if (outcome == "succeeded") return "completed";
  if (outcome == "cancelled") return "cancelled";
  return only_protocol_errors_fail ? "completed" : "failed";
}

bool is_final(const std::string& status) {
  return status == "completed" || status == "cancelled" || status == "failed";
}

}  // namespace toolway::chaos
