#include "cli/bench/scenario/action_reader.h"

#include <algorithm>
#include <set>
#include <string>

#include "cli/bench/scenario/duration_field.h"

namespace toolway::cli::bench::scenario {
namespace {

using tools::specs::Fields;
using tools::specs::Located;

constexpr unsigned kMaxWorkers = 64;
constexpr std::size_t kMaxActions = 10'000;

void read_restart(Fields& fields, Action& action) {
  static const std::set<std::string> kRoles{"gateway", "worker",   "collector",
                                            "nats",    "postgres", "all"};
  action.what = Action::What::kRestart;
  fields.text("restart", action.role);
  if (!kRoles.contains(action.role))
    fields.mistakes().add(fields.line_of("restart"),
                          "`restart` must be gateway, worker, collector, nats, postgres or all");
}

void read_kill(Fields& fields, Action& action) {
  static const std::set<std::string> kRoles{"gateway", "worker", "collector"};
  action.what = Action::What::kKill;
  fields.text("kill", action.role);
  if (!kRoles.contains(action.role))
    fields.mistakes().add(fields.line_of("kill"), "`kill` must be gateway, worker or collector");
}

void read_drop(Fields& fields, Action& action) {
  action.what = Action::What::kDropFollowers;
  std::string whom;
  fields.text("drop", whom);
  if (whom != "followers")
    fields.mistakes().add(fields.line_of("drop"), "`drop` must be followers");
}

void read_one(const Located& map, int line, double seconds, toolway::Mistakes& mistakes,
              std::vector<Action>& actions) {
  Fields fields(map, "an action", mistakes);
  const auto before = mistakes.count();
  Action action;
  if (fields.find("at") == nullptr) mistakes.add(line, "an action has no `at`, such as 10s");
  read_duration(fields, "at", action.at, {0, seconds});
  double every = 0;
  read_duration(fields, "every", every, {0.1, seconds});
  const int chosen =
      (fields.find("restart") != nullptr ? 1 : 0) + (fields.find("kill") != nullptr ? 1 : 0) +
      (fields.find("workers") != nullptr ? 1 : 0) + (fields.find("drop") != nullptr ? 1 : 0);
  if (chosen != 1)
    mistakes.add(
        line,
        "an action is one of `restart: ROLE`, `kill: ROLE`, `workers: COUNT` and `drop: followers`");
  else if (fields.find("restart") != nullptr)
    read_restart(fields, action);
  else if (fields.find("kill") != nullptr)
    read_kill(fields, action);
  else if (fields.find("drop") != nullptr)
    read_drop(fields, action);
  else {
    action.what = Action::What::kScaleWorkers;
    fields.whole("workers", action.workers, {1U, kMaxWorkers});
  }
  fields.nothing_else();
  if (mistakes.count() != before) return;
  do {
    actions.push_back(action);
    action.at += every;
  } while (every > 0 && action.at < seconds && actions.size() < kMaxActions);
}

}  // namespace

std::vector<Action> read_actions(Fields& fields, double seconds) {
  std::vector<Action> actions;
  const auto* list = fields.find("actions");
  if (list == nullptr) return actions;
  if (!list->value->is_list()) {
    fields.mistakes().add(list->line, "`actions` must be a list");
    return actions;
  }
  for (const auto& item : list->value->members) {
    if (actions.size() >= kMaxActions) break;
    if (item.value.is_map())
      read_one(item.value, item.line, seconds, fields.mistakes(), actions);
    else
      fields.mistakes().add(item.line,
                            "an action must be a mapping, such as {at: 10s, restart: gateway}");
  }
  std::stable_sort(actions.begin(), actions.end(),
                   [](const Action& a, const Action& b) { return a.at < b.at; });
  return actions;
}

}  // namespace toolway::cli::bench::scenario
