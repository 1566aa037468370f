#include "cli/bench/scenario/scenario_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "cli/bench/scenario/action_reader.h"
#include "cli/bench/scenario/duration_field.h"
#include "tools/specs/fields.h"
#include "tools/specs/trees.h"

namespace toolway::cli::bench::scenario {
namespace {

using tools::specs::Fields;
using tools::specs::Located;

constexpr unsigned kMaxSessions = 100'000;
constexpr unsigned kMaxBatch = 100;
constexpr double kMaxRate = 1'000'000;
constexpr double kMaxAtOnce = 10'000;
constexpr std::size_t kMaxPayload = 400'000;
constexpr std::size_t kMaxResult = 16 * 1024 * 1024;
constexpr unsigned kMaxProcesses = 64;
constexpr std::size_t kMaxGroups = 32;

bool valid_name(std::string_view name) {
  return !name.empty() && name.size() <= 40 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

class ScenarioReader {
 public:
  explicit ScenarioReader(Mistakes& mistakes) : mistakes_(mistakes) {}

  Scenario read(const Located& root) {
    Scenario scenario;
    if (!root.is_map()) {
      mistakes_.add(root.line, "a scenario must be a mapping: `name`, `stages`, `calls`, …");
      return scenario;
    }
    Fields fields(root, "a scenario", mistakes_);
    read_name(fields, scenario.name);
    fields.text("description", scenario.description);
    read_stack(fields, scenario.stack);
    read_duration(fields, "warm_up", scenario.warm_up, {0, 600});
    thresholds(fields, figures::FigureOf::kRun, scenario.thresholds);
    groups(fields, scenario);
    scenario.actions = read_actions(fields, scenario.seconds());
    fields.nothing_else();
    return scenario;
  }

 private:
  void read_name(Fields& fields, std::string& name) {
    fields.required_text("name", name);
    if (fields.find("name") != nullptr && !name.empty() && !valid_name(name))
      mistakes_.add(fields.line_of("name"),
                    fmt::format("`name` must be 1 to 40 of a-z, 0-9, _ and -, not {}",
                                toolway::in_quotes(name)));
  }

  void read_stack(Fields& fields, StackShape& stack) {
    const auto* map = fields.map("stack");
    if (map == nullptr) return;
    Fields inside(*map, "`stack`", mistakes_);
    inside.whole("gateways", stack.gateways, {1, kMaxProcesses});
    inside.whole("workers", stack.workers, {1, kMaxProcesses});
    inside.whole("collectors", stack.collectors, {1, kMaxProcesses});
    inside.texts("pools", stack.pools);
    inside.texts("settings", stack.settings);
    inside.nothing_else();
  }

  void groups(Fields& fields, Scenario& scenario) {
    const auto* list = fields.find("groups");
    if (list == nullptr) {
      LoadGroup all{.name = "all"};
      read_group(fields, all);
      scenario.groups.push_back(std::move(all));
      return;
    }
    if (!list->value->is_list() || list->value->members.empty() ||
        list->value->members.size() > kMaxGroups) {
      mistakes_.add(list->line,
                    fmt::format("`groups` must be a list of 1 to {} groups", kMaxGroups));
      return;
    }
    std::set<std::string> names;
    for (const auto& item : list->value->members) {
      if (!item.value.is_map()) {
        mistakes_.add(item.line, "a group must be a mapping: `name`, `stages`, `calls`, …");
        continue;
      }
      Fields inside(item.value, "a group", mistakes_);
      LoadGroup group;
      read_name(inside, group.name);
      if (!names.insert(group.name).second)
        mistakes_.add(inside.line_of("name"),
                      fmt::format("two groups are named {}", toolway::in_quotes(group.name)));
      read_group(inside, group);
      thresholds(inside, figures::FigureOf::kCalls, group.thresholds);
      inside.nothing_else();
      scenario.groups.push_back(std::move(group));
    }
  }

  void read_group(Fields& fields, LoadGroup& group) {
    fields.text("user", group.user);
    if (group.user.empty()) group.user = "load-" + group.name;
    const bool printable = std::all_of(group.user.begin(), group.user.end(),
                                       [](char c) { return c > 0x20 && c < 0x7f; });
    if (!printable || group.user.size() > 255)
      mistakes_.add(fields.line_of("user"),
                    "`user` must be at most 255 visible ASCII characters: it travels in a header");
    fields.whole("sessions", group.sessions, {1, kMaxSessions});
    fields.whole("followers", group.followers, {0, kMaxSessions});
    if (group.followers > group.sessions)
      mistakes_.add(fields.line_of("followers"),
                    fmt::format("there are only {} sessions to follow", group.sessions));
    fields.whole("batch", group.batch, {1, kMaxBatch});
    std::string repeat = "never";
    fields.text("repeat", repeat);
    if (repeat == "same_key")
      group.repeat = Repeat::kSameKey;
    else if (repeat != "never")
      mistakes_.add(fields.line_of("repeat"), "`repeat` must be never or same_key");
    read_calls(fields, group.calls);
    stages(fields, group);
  }

  void read_calls(Fields& fields, std::vector<CallChoice>& calls) {
    const auto* list = fields.find("calls");
    if (list == nullptr) {
      calls.emplace_back();
      return;
    }
    if (!list->value->is_list() || list->value->members.empty() ||
        list->value->members.size() > 100) {
      mistakes_.add(list->line, "`calls` must be a list of 1 to 100 kinds of call");
      return;
    }
    for (const auto& item : list->value->members) {
      if (item.value.is_map())
        read_call(item.value, calls.emplace_back());
      else
        mistakes_.add(item.line,
                      "a kind of call must be a mapping, such as {weight: 1, payload: 64}");
    }
  }

  void read_call(const Located& map, CallChoice& call) {
    static const std::set<std::string> kKinds{"native", "python",    "command",
                                              "http",   "mcp-stdio", "mcp-http"};
    Fields fields(map, "a kind of call", mistakes_);
    fields.whole("weight", call.weight, {1, 1'000'000});
    fields.text("kind", call.kind);
    if (!kKinds.contains(call.kind))
      mistakes_.add(fields.line_of("kind"),
                    "`kind` must be native, python, command, http, mcp-stdio or mcp-http");
    else if (call.kind != "native" && other_kind_.value_or(call.kind) != call.kind)
      mistakes_.add(fields.line_of("kind"),
                    fmt::format("a scenario may have one kind besides native, and this has {}",
                                *other_kind_));
    else if (call.kind != "native")
      other_kind_ = call.kind;
    fields.text("tool", call.tool);
    call.arguments = OrderedJson::object();
    if (const auto* arguments = fields.map("arguments"))
      call.arguments = tools::specs::to_json(*arguments);
    fields.whole("payload", call.payload, {0, kMaxPayload}, "bytes");
    fields.whole("result", call.result, {0, kMaxResult}, "bytes");
    fields.whole("progress", call.progress, {0U, 10'000U});
    fields.whole("wait_ms", call.wait_ms, {0U, 3'600'000U}, "milliseconds");
    fields.flag("idempotent", call.idempotent);
    fields.nothing_else();
    if (!call.tool.empty() && call.tool.find('.') == std::string::npos)
      mistakes_.add(fields.line_of("tool"), "`tool` must be namespace.name");
    const bool other = !call.tool.empty() || call.kind != "native";
    for (const char* own : {"payload", "result", "progress", "wait_ms", "idempotent"})
      if (other && has(map, own))
        mistakes_.add(
            map.line,
            fmt::format("`{}` is for the bench's own tool: leave out `tool` and `kind`", own));
    if (!call.tool.empty() && call.kind != "native")
      mistakes_.add(map.line, "`kind` brings its own tool: leave out `tool`");
    if (call.tool.empty() && has(map, "arguments"))
      mistakes_.add(map.line, "`arguments` need a `tool`, and there is none");
  }

  static bool has(const Located& map, std::string_view name) {
    return tools::specs::find(map, name) != nullptr;
  }

  void stages(Fields& fields, LoadGroup& group) {
    const auto* list = fields.find("stages");
    if (list == nullptr || !list->value->is_list() || list->value->members.empty() ||
        list->value->members.size() > 1000) {
      mistakes_.add(
          list == nullptr ? fields.line() : list->line,
          fmt::format(
              "group {} needs `stages`: a list of up to 1,000, such as {{for: 60s, rate: 1000}}",
              toolway::in_quotes(group.name)));
      return;
    }
    std::optional<Pace> pace;
    for (const auto& item : list->value->members) {
      if (!item.value.is_map()) {
        mistakes_.add(item.line, "a stage must be a mapping: `for`, and `rate` or `concurrency`");
        continue;
      }
      const bool closed = has(item.value, "concurrency");
      const auto of = closed ? Pace::kConcurrency : Pace::kRate;
      if (pace.value_or(of) != of)
        mistakes_.add(item.line,
                      "the stages of a group must all have `rate`, or all `concurrency`");
      pace = of;
      group.stages.push_back(stage(item.value, of));
    }
    group.pace = pace.value_or(Pace::kRate);
  }

  Stage stage(const Located& map, Pace pace) {
    Fields fields(map, "a stage", mistakes_);
    Stage stage;
    if (fields.find("for") == nullptr) mistakes_.add(map.line, "a stage has no `for`, such as 60s");
    read_duration(fields, "for", stage.seconds, {0.001, 7 * 86'400.0});
    const char* name = pace == Pace::kRate ? "rate" : "concurrency";
    if (fields.find(name) == nullptr)
      mistakes_.add(map.line,
                    "a stage has neither `rate` (calls/s) nor `concurrency` (requests at once)");
    const toolway::Range<double> range = pace == Pace::kRate
                                             ? toolway::Range<double>{0, kMaxRate}
                                             : toolway::Range<double>{1, kMaxAtOnce};
    fields.number(name, stage.from, range);
    stage.to = stage.from;
    fields.number("to", stage.to, range);
    fields.nothing_else();
    return stage;
  }

  void thresholds(Fields& fields, figures::FigureOf most, std::vector<figures::Threshold>& to) {
    std::vector<std::string> texts;
    fields.texts("thresholds", texts);
    const auto* list = fields.find("thresholds");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      auto threshold = figures::parse_threshold(texts[i], most);
      if (threshold)
        to.push_back(*std::move(threshold));
      else
        mistakes_.add(list->value->members[i].line, threshold.error().message);
    }
  }

  Mistakes& mistakes_;
  std::optional<std::string> other_kind_;
};

}  // namespace

ReadScenario read_scenario(std::string_view text, std::string_view origin) {
  Mistakes mistakes(origin);
  ReadScenario read;
  if (const auto root = tools::specs::read_tree(text, mistakes))
    read.scenario = ScenarioReader(mistakes).read(*root);
  else if (mistakes.count() == 0)
    mistakes.add(1, "the file says nothing; a scenario needs `name` and `stages`");
  read.mistakes = std::move(mistakes).take();
  return read;
}

}  // namespace toolway::cli::bench::scenario
