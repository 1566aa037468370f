#include "cli/client/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "cli/client/argument_words.h"
#include "cli/client/arguments.h"
#include "cli/client/reporting.h"

namespace toolway::cli::client {
namespace {

constexpr std::string_view kElicit = "elicitation/create";

OrderedJson member(const OrderedJson& object, const char* name) {
  return object.is_object() ? object.value(name, OrderedJson()) : OrderedJson();
}

bool is_page(const OrderedJson& question) {
  return cell(member(question, "params"), "mode") == "url";
}

OrderedJson schema_of(const OrderedJson& question) {
  return member(member(question, "params"), "requestedSchema");
}

tl::unexpected<Error> wrong(std::string words) {
  return fail(ErrorCode::kInvalidRequest, std::move(words));
}

Result<OrderedJson> question_of(const std::vector<OrderedJson>& waiting, const std::string& key) {
  if (waiting.empty()) return wrong("the call waits for no answer");
  std::vector<std::string> keys;
  for (const auto& question : waiting) {
    keys.push_back(cell(question, "key"));
    if (keys.back() == key) return question;
  }
  if (!key.empty())
    return wrong(fmt::format("no question '{}' waits for an answer; these do: {}", key,
                             fmt::join(keys, ", ")));
  if (waiting.size() == 1) return waiting.front();
  return wrong(fmt::format("several questions wait for an answer: say --key, one of {}",
                           fmt::join(keys, ", ")));
}

/// The form's own fields: a tool would not see others.
Result<void> known_fields(const OrderedJson& content, const OrderedJson& properties) {
  if (!properties.is_object() || properties.empty()) return {};
  std::vector<std::string> names;
  for (const auto& [name, property] : properties.items()) names.push_back(name);
  for (const auto& [name, value] : content.items()) {
    if (!properties.contains(name))
      return tl::unexpected(no_such_name("the form has no field", name, names, "it has"));
  }
  return {};
}

Result<OrderedJson> answer_of(const OrderedJson& question, const AnswerOptions& options) {
  const bool form = cell(question, "method") == kElicit;
  if (options.accept || options.decline) {
    if (options.accept && options.decline)
      return wrong("--accept and --decline say the opposite: leave one of them out");
    if (!options.words.empty())
      return wrong("--accept and --decline take no fields: leave them or the option out");
    if (form && options.accept)
      return OrderedJson{{"action", "accept"}, {"content", OrderedJson::object()}};
    if (form) return OrderedJson{{"action", "decline"}};
    if (options.decline) return OrderedJson{{"error", {{"message", "declined"}}}};
  }
  if (form && are_pairs(options.words)) {
    if (is_page(question)) return wrong("this asks to open a page: answer --accept or --decline");
    const auto schema = schema_of(question);
    ASSIGN_OR_RETURN(auto content, object_of_pairs(options.words, schema));
    RETURN_IF_ERROR(known_fields(content, member(schema, "properties")));
    return OrderedJson{{"action", "accept"}, {"content", std::move(content)}};
  }
  if (options.words.empty() || are_pairs(options.words))
    return wrong(fmt::format("this asks for {}: answer with the result of {} as JSON, or --decline",
                             asked_for(question), cell(question, "method")));
  return arguments_of_words(options.words);
}

}  // namespace

void QuestionList::add(const OrderedJson& event) {
  const auto has_key = [](const std::string& key) {
    return [key](const OrderedJson& question) { return cell(question, "key") == key; };
  };
  for (const auto& key : event.value("answered", OrderedJson::array()))
    if (key.is_string()) std::erase_if(waiting_, has_key(key.get<std::string>()));
  if (cell(event, "type") == "completed") waiting_.clear();
  for (const auto& question : event.value("questions", OrderedJson::array()))
    if (std::ranges::none_of(waiting_, has_key(cell(question, "key"))))
      waiting_.push_back(question);
}

std::string asked_for(const OrderedJson& question) {
  const auto method = cell(question, "method");
  if (method == kElicit) return is_page(question) ? "a page to open" : "a form";
  if (method == "sampling/createMessage") return "a message of a model";
  return "folders";
}

std::string message_of(const OrderedJson& question) {
  const auto params = member(question, "params");
  const auto message = cell(params, "message");
  return is_page(question) ? fmt::format("{} {}", message, cell(params, "url")) : message;
}

std::string fields_text(const OrderedJson& question) {
  const auto schema = schema_of(question);
  const auto required = member(schema, "required");
  std::vector<std::string> fields;
  const auto properties = member(schema, "properties");
  for (const auto& [name, field] : properties.items()) {
    const bool must = std::find(required.begin(), required.end(), name) != required.end();
    const auto type = cell(field, "type");
    fields.push_back(name + (must ? "*" : "") +
                     (type.empty() || type == "string" ? "" : fmt::format(" ({})", type)));
  }
  return fmt::format("{}", fmt::join(fields, ", "));
}

Result<OrderedJson> answers_of(const std::vector<OrderedJson>& waiting,
                               const AnswerOptions& options) {
  ASSIGN_OR_RETURN(const auto question, question_of(waiting, options.key));
  ASSIGN_OR_RETURN(auto answer, answer_of(question, options));
  OrderedJson answers = OrderedJson::object();
  answers[cell(question, "key")] = std::move(answer);
  return answers;
}

}  // namespace toolway::cli::client
