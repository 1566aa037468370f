#include "tools/executors/http/answer_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digits.h"
#include "base/json_pointer.h"

namespace toolway::tools::executors::http {
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
  } else if (is_digits(text)) {
    read.push_back(std::stoi(text));
  }
  return read;
}

using Object = StrictObject<OrderedJson>;

void read_success(HttpAnswerForm& form, Object& fields) {
  const auto* success = fields.value("success");
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
      fields.mistakes().add(
          {fmt::format("{}/{}", fields.at("success"), i), std::string(kStatusForm)});
    form.success.insert(read.begin(), read.end());
  }
}

void read_errors(HttpAnswerForm& form, Object& fields) {
  const auto* errors = fields.value("errors");
  if (errors == nullptr) return;
  if (!errors->is_object()) {
    return fields.wrong("errors", "must be an object such as {\"404\": {\"code\": \"not_found\"}}");
  }
  for (const auto& [name, described] : errors->items()) {
    const auto pointer = pointer_to(fields.at("errors"), name);
    const auto read = statuses(name);
    if (read.empty()) fields.mistakes().add({pointer, std::string(kStatusForm)});
    Object inner(described, "an error", fields.mistakes(), pointer);
    StatusMeaning meaning{.code = "http_status"};
    inner.text("code", meaning.code);
    inner.text("message", meaning.message);
    if (inner.find("retryable") != nullptr) inner.flag("retryable", meaning.retryable.emplace());
    inner.nothing_else();
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
                                Mistakes& mistakes) {
  using As = HttpAnswerForm::As;
  static const OrderedJson none = OrderedJson::object();
  HttpAnswerForm form;
  Object fields(response == nullptr ? none : *response, "a response", mistakes, pointer);
  const auto as = fields.choice("as", {"json", "text", "binary", "sse", "ndjson"});
  if (as == "text") form.as = As::kText;
  if (as == "binary") form.as = As::kBinary;
  if (as == "sse") form.as = As::kSse;
  if (as == "ndjson") form.as = As::kNdjson;
  const bool plain = form.as == As::kText || form.as == As::kBinary;
  form.json_events = fields.choice("data", {"json", "text"}) == "json";
  fields.text("until", form.until);
  if (form.as != As::kSse && (!form.until.empty() || !form.json_events)) {
    fields.wrong("as", "`data` and `until` are for sse only");
  }
  const bool documents = !plain && form.json_events;
  if (const auto* at = fields.value("pick")) {
    form.pick = at->is_string() ? templates::parse_pointer(at->get<std::string>()) : std::nullopt;
    if (!form.pick)
      fields.wrong("pick", "must be a JSON Pointer, such as /data/items");
    else if (!documents)
      fields.wrong("pick", "needs an answer in JSON");
  }
  if (const auto* result = fields.value("result")) {
    form.result = templates::parse_pick_template(*result, fields.at("result"), mistakes);
    if (!documents) fields.wrong("result", "needs an answer in JSON");
  }
  read_success(form, fields);
  read_errors(form, fields);
  fields.nothing_else();
  return form;
}

HttpRetries read_retries(const OrderedJson* retries, const std::string& pointer,
                         Mistakes& mistakes) {
  static const std::vector<std::string> kClasses{"connect", "first_byte", "429", "500",
                                                 "502",     "503",        "504"};
  HttpRetries read;
  if (retries == nullptr) return read;
  Object fields(*retries, "a retry policy", mistakes, pointer);
  fields.whole("attempts", read.attempts, {1, 10});
  const auto safe = fields.choice("methods", {"idempotent", "any", "none"});
  if (safe == "any") read.safe = HttpRetries::Safe::kAlways;
  if (safe == "none") read.safe = HttpRetries::Safe::kNever;
  fields.milliseconds("initial_delay_ms", read.initial_delay, kConfiguredTime);
  fields.milliseconds("max_delay_ms", read.max_delay, kConfiguredTime);
  const auto* on = fields.value("on");
  fields.nothing_else();
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

}  // namespace toolway::tools::executors::http
