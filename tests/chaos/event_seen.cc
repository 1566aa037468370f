#include "tests/chaos/event_seen.h"

#include <fmt/format.h>

#include <charconv>
#include <ctime>
#include <functional>
#include <set>

namespace toolway::chaos {
namespace {

void take_steps(const OrderedJson& data, std::vector<unsigned>& steps) {
  // Reports that waited are merged: their data becomes a list.
  if (data.is_array())
    for (const auto& item : data) take_steps(item, steps);
  else if (data.is_object() && data.contains("step"))
    steps.push_back(static_cast<unsigned>(number_at(data, "step")));
}

}  // namespace

std::string EventId::text() const { return fmt::format("{}-{}", incarnation, number); }

std::optional<EventId> parse_event_id(std::string_view text) {
  EventId id;
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), text.data() + dash, id.incarnation);
  const auto second = std::from_chars(text.data() + dash + 1, end, id.number);
  if (first.ec != std::errc() || second.ec != std::errc() || second.ptr != end) return std::nullopt;
  return id;
}

std::string text_at(const OrderedJson& object, const char* field) {
  if (!object.is_object()) return {};
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t number_at(const OrderedJson& object, const char* field) {
  if (!object.is_object()) return 0;
  const auto found = object.find(field);
  return found != object.end() && found->is_number_integer() ? found->get<std::uint64_t>() : 0;
}

const OrderedJson& list_at(const OrderedJson& object, const char* field) {
  static const OrderedJson none = OrderedJson::array();
  if (!object.is_object()) return none;
  const auto found = object.find(field);
  return found != object.end() && found->is_array() ? *found : none;
}

std::int64_t parse_time(std::string_view rfc3339) {
  std::tm time{};
  int micros = 0;
  const std::string text(rfc3339);
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
  if (rest == nullptr) return 0;
  if (*rest == '.') std::from_chars(rest + 1, text.data() + text.size(), micros);
  return static_cast<std::int64_t>(timegm(&time)) * 1000000 + micros;
}

std::string owners_in(std::string_view text) {
  constexpr std::string_view mark = "tok.";
  std::set<std::string_view> owners;
  for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at)) {
    at += mark.size();
    const auto end = text.find('.', at);
    if (end != std::string_view::npos && end - at <= 16) owners.insert(text.substr(at, end - at));
  }
  return fmt::format("{}", fmt::join(owners, " "));
}

std::optional<EventSeen> read_event(const OrderedJson& event) {
  const auto id = parse_event_id(text_at(event, "id"));
  if (!id) return std::nullopt;
  EventSeen seen{.id = *id, .type = text_at(event, "type"), .call_id = text_at(event, "call_id")};
  seen.tool = text_at(event, "tool");
  seen.approved = event.contains("approved") && event["approved"] == true;
  seen.attempt = static_cast<unsigned>(number_at(event, "attempt"));
  seen.seq = static_cast<unsigned>(number_at(event, "seq"));
  seen.time_us = parse_time(text_at(event, "time"));
  const auto bytes = to_text(event);
  seen.digest = std::hash<std::string>{}(bytes);
  seen.outcome = text_at(event, "outcome");
  seen.worker = text_at(event, "worker_id");
  if (event.contains("error")) seen.error_code = text_at(event["error"], "code");
  if (seen.type == "progress" && event.contains("data")) take_steps(event["data"], seen.steps);
  if (seen.type == "completed" && event.contains("result"))
    seen.total_steps = number_at(event["result"], "steps");
  if (const auto progress = event.find("progress");
      progress != event.end() && progress->is_number())
    seen.progress = progress->get<double>();
  if (seen.type == "log") seen.log = text_at(event, "message");
  if (seen.type == "input_requested" && event.contains("questions"))
    for (const auto& question : event["questions"]) seen.keys.push_back(text_at(question, "key"));
  if (seen.type == "input_provided" && event.contains("answered"))
    seen.keys = event["answered"].get<std::vector<std::string>>();
  seen.owners = owners_in(bytes);
  return seen;
}

}  // namespace toolway::chaos
