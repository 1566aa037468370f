// `toolway calls answer`: what a call's tool has asked, and the answer to it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "cli/client/answers.h"
#include "cli/client/find_call.h"
#include "cli/client/pages.h"
#include "cli/client/reporting.h"
#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::client {
namespace {

/// Nothing: the gateway refused, which was reported, and `status` says how to exit.
struct Waiting {
  std::optional<std::vector<OrderedJson>> questions;
  int status = 0;
};

Waiting read_waiting(const ClientContext& context, const std::string& path) {
  QuestionList list;
  std::string cursor = "0";
  const auto status = read_events(context, path + "/events", cursor,
                                  [&list](const OrderedJson& event) { list.add(event); });
  if (status != terminal::kExitOk) return {.questions = std::nullopt, .status = status};
  return {.questions = list.waiting()};
}

void print_questions(const ClientContext& context, const std::vector<OrderedJson>& questions) {
  if (context.view.json()) return print_json({{"waiting", questions}});
  terminal::Table table{.columns = {{.heading = "KEY"},
                                    {.heading = "ASKS FOR", .rank = 1},
                                    {.heading = "MESSAGE", .least = 16},
                                    {.heading = "FIELDS", .least = 8}},
                        .nothing = "it waits for no answer"};
  for (const auto& question : questions)
    table.rows.push_back({.cells = {cell(question, "key"), asked_for(question),
                                    message_of(question), fields_text(question)}});
  fmt::print("{}", terminal::render(std::move(table), context.view));
}

}  // namespace

int answer_call(const ClientContext& context, const AnswerOptions& options) {
  const auto found = find_call(context, options.call);
  if (found.id.empty()) return found.status;
  const auto path = "/v1/calls/" + percent_encoded(found.id);
  const auto waiting = read_waiting(context, path);
  if (!waiting.questions) return waiting.status;
  if (!options.given()) {
    print_questions(context, *waiting.questions);
    return terminal::kExitOk;
  }
  const auto answers = answers_of(*waiting.questions, options);
  if (!answers) return report_error(context.view, answers.error());
  return ask_and_show(context, "POST", path + "/input", to_text(OrderedJson{{"answers", *answers}}),
                      [](const OrderedJson& answer) {
                        std::vector<std::string> keys;
                        for (const auto& key : answer.value("waiting", OrderedJson::array()))
                          keys.push_back(key.get<std::string>());
                        if (keys.empty())
                          fmt::print("answered\n");
                        else
                          fmt::print("answered; it still asks: {}\n", fmt::join(keys, ", "));
                      });
}

}  // namespace toolway::cli::client
