#include "tools/executors/http/answer_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/schema/json_pointer.h"

namespace toolway::tools {
namespace {

constexpr std::string_view kStatusForm =
    "must be a status from 200 to 599, or a class such as \"2xx\"";

/// The statuses that `200`, `"200"` or `"2xx"` stands for; none: a mistake.
std::vector<int> statuses(const OrderedJson& value) {
  if (!value.is_string() && !value.is_number_unsigned()) return {};
  const auto text = value.is_string() ? value.get<std::string>() : to_text(value);
  if (text.size() != 3 || text[0] < '2' || text[0] > '5') return {};
  const int first = (text[0] - '0') * 100;
  std::vector<int> read;
  if (text.substr(1) == "xx") {
    for (int i = 0; i < 100; ++i) read.push_back(first + i);
  } else if (std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    read.push_back(std::stoi(text));
  }
  return read;
}

void read_success(HttpAnswerForm& form, ConfigFields& fields, std::vector<SpecMistake>& mistakes) {
  const auto* success = fields.find("success");
  if (success == nullptr) {
    for (int status = 200; status < 300; ++status) form.success.insert(status);
    return;
  }
  if (!success->is_array() || success->empty()) {
    return fields.wrong("success", "must be a list such as [200, 404] or [\"2xx\"]");
  }
  for (std::size_t i = 0; i < success->size(); ++i) {
    const auto read = statuses((*success)[i]);
    if (read.empty())
      mistakes.push_back({fmt::format("{}/{}", fields.at("success"), i), std::string(kStatusForm)});
    form.success.insert(read.begin(), read.end());
  }
}

void read_errors(HttpAnswerForm& form, ConfigFields& fields, std::vector<SpecMistake>& mistakes) {
  const auto* errors = fields.find("errors");
  if (errors == nullptr) return;
  if (!errors->is_object()) {
    return fields.wrong("errors", "must be an object such as {\"404\": {\"code\": \"not_found\"}}");
  }
  for (const auto& [name, described] : errors->items()) {
    const auto pointer = pointer_to(fields.at("errors"), name);
    const auto read = statuses(name);
    if (read.empty()) mistakes.push_back({pointer, std::string(kStatusForm)});
    ConfigFields inner(described, pointer, "an error", mistakes);
    StatusMeaning meaning;
    meaning.code = inner.text("code", "http_status");
    meaning.message = inner.text("message");
    if (inner.find("retryable") != nullptr) meaning.retryable = inner.flag("retryable", false);
    // A status by itself says more than its class.
    for (const int status : read) {
      if (read.size() == 1)
        form.errors[status] = meaning;
      else
        form.errors.emplace(status, meaning);
    }
  }
}

}  // namespace

HttpAnswerForm read_answer_form(const OrderedJson* response, const std::string& pointer,
                                std::vector<SpecMistake>& mistakes) {
  using As = HttpAnswerForm::As;
  static const OrderedJson none = OrderedJson::object();
  HttpAnswerForm form;
  ConfigFields fields(response == nullptr ? none : *response, pointer, "a response", mistakes);
  const auto as = fields.choice("as", {"json", "text", "binary", "sse", "ndjson"});
  if (as == "text") form.as = As::kText;
  if (as == "binary") form.as = As::kBinary;
  if (as == "sse") form.as = As::kSse;
  if (as == "ndjson") form.as = As::kNdjson;
  const bool plain = form.as == As::kText || form.as == As::kBinary;
  form.json_events = fields.choice("data", {"json", "text"}) == "json";
  form.until = fields.text("until");
  if (form.as != As::kSse && (!form.until.empty() || !form.json_events)) {
    fields.wrong("as", "`data` and `until` are for sse only");
  }
  const bool documents = !plain && form.json_events;
  if (const auto* at = fields.find("pick")) {
    form.pick = at->is_string() ? parse_pointer(at->get<std::string>()) : std::nullopt;
    if (!form.pick)
      fields.wrong("pick", "must be a JSON Pointer, such as /data/items");
    else if (!documents)
      fields.wrong("pick", "needs an answer in JSON");
  }
  if (const auto* result = fields.find("result")) {
    std::vector<TemplateMistake> found;
    form.result = parse_pick_template(*result, fields.at("result"), found);
    for (auto& one : found) mistakes.push_back({std::move(one.pointer), std::move(one.what)});
    if (!documents) fields.wrong("result", "needs an answer in JSON");
  }
  read_success(form, fields, mistakes);
  read_errors(form, fields, mistakes);
  return form;
}

HttpRetries read_retries(const OrderedJson* retries, const std::string& pointer,
                         std::vector<SpecMistake>& mistakes) {
  static const std::vector<std::string> kClasses{"connect", "first_byte", "429", "500",
                                                 "502",     "503",        "504"};
  HttpRetries read;
  if (retries == nullptr) return read;
  ConfigFields fields(*retries, pointer, "a retry policy", mistakes);
  read.attempts = static_cast<unsigned>(fields.number("attempts", read.attempts, 1, 10));
  const auto safe = fields.choice("methods", {"idempotent", "any", "none"});
  if (safe == "any") read.safe = HttpRetries::Safe::kAlways;
  if (safe == "none") read.safe = HttpRetries::Safe::kNever;
  read.initial_delay = fields.duration("initial_delay_ms", read.initial_delay);
  read.max_delay = fields.duration("max_delay_ms", read.max_delay);
  const auto* on = fields.find("on");
  if (on == nullptr) return read;
  read.on.clear();
  if (!on->is_array()) fields.wrong("on", "must be a list");
  for (const auto& one : on->is_array() ? *on : OrderedJson::array()) {
    const std::string name = one.is_string() ? one.get<std::string>() : to_text(one);
    if (std::find(kClasses.begin(), kClasses.end(), name) == kClasses.end()) {
      fields.wrong("on",
                   fmt::format("{} is not one of connect, first_byte, 429, 500, 502, 503, 504",
                               to_text(one)));
    }
    read.on.insert(name);
  }
  return read;
}

}  // namespace toolway::tools
