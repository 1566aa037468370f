#include "extensions/builtin/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace toolway::extensions::builtin {
namespace {

using std::chrono::nanoseconds;
using tools::specs::Fields;
using tools::specs::NamedMember;

constexpr std::string_view kField = "limit";
constexpr std::uint64_t kMaxRate = 1'000'000;
constexpr Range<std::uint32_t> kBurst{1, 1'000'000};
constexpr Range<std::uint32_t> kWaiting{1, 1'000'000};
/// Each permit is an entry that its worker renews.
constexpr Range<std::uint32_t> kRunning{1, 1'000};
/// The bucket `limits` forgets what was not used for an hour: by then a bucket of tokens must be
/// full.
constexpr std::chrono::hours kMaxRefill{1};

struct Unit {
  std::string_view name;
  nanoseconds length;
};
constexpr std::array kUnits{Unit{"s", std::chrono::seconds(1)},
                            Unit{"min", std::chrono::minutes(1)}, Unit{"h", std::chrono::hours(1)}};

struct Named {
  std::string_view name;
  Per per;
};
constexpr std::array kPers{Named{"tenant", Per::kTenant}, Named{"user", Per::kUser},
                           Named{"key", Per::kKey}, Named{"session", Per::kSession},
                           Named{"tool", Per::kTool}};

struct LimitAction final : Action {
  std::string text() const override {
    const auto each =
        per.empty() ? std::string("all together") : fmt::format("each {}", fmt::join(per, " and "));
    switch (limit.kind) {
      case LimitKind::kRate: break;
      case LimitKind::kWaiting:
        return fmt::format("limits {} to {} waiting calls", each, limit.most);
      case LimitKind::kRunning:
        return fmt::format("limits {} to {} running calls", each, limit.most);
    }
    return fmt::format("limits {} to {}, at most {} at once", each, rate_text, limit.rate.burst);
  }
  std::string_view cannot_look_at_arguments() const override {
    return limit.kind == LimitKind::kRunning
               ? "a limit on running calls cannot look at arguments: workers know it before they "
                 "look at any; take `when` out"
               : "";
  }
  Limit limit;
  std::string rate_text;
  std::vector<std::string> per;
};

void read_rate(Fields& fields, LimitAction& action) {
  fields.required_text("rate", action.rate_text);
  if (action.rate_text.empty()) return;
  const auto interval = parse_rate(action.rate_text);
  if (!interval)
    return fields.wrong("rate",
                        fmt::format("{} is not a rate: write 5/s, 100/min or 20/h, at most {}/s",
                                    in_quotes(action.rate_text), kMaxRate));
  auto& rate = action.limit.rate;
  rate.interval = *interval;
  // What comes in a second, unless the rule says so.
  rate.burst = static_cast<std::uint32_t>(
      std::max<std::int64_t>(1, nanoseconds(std::chrono::seconds(1)) / *interval));
  fields.whole("burst", rate.burst, kBurst);
  if (rate.refill() > kMaxRefill)
    fields.wrong(
        "burst",
        fmt::format("{} calls come back in more than an hour at {}: lower `burst` or raise `rate`",
                    rate.burst, action.rate_text));
}

/// What is limited; a rule limits one thing.
void read_most(Fields& fields, LimitAction& action) {
  const bool waiting = fields.find("waiting") != nullptr;
  const bool running = fields.find("running") != nullptr;
  if (!waiting && !running) return read_rate(fields, action);
  const std::string_view name = waiting ? "waiting" : "running";
  action.limit.kind = waiting ? LimitKind::kWaiting : LimitKind::kRunning;
  fields.whole(name, action.limit.most, waiting ? kWaiting : kRunning);
  for (const std::string_view other : {"rate", "burst", "running"}) {
    if (other != name && fields.find(other) != nullptr)
      fields.wrong(other, fmt::format("`{}` and `{}` cannot be one limit: write a rule for each",
                                      name, other));
  }
}

/// What may have a count of its own, and what has one where the rule does not say.
struct Countable {
  std::vector<Per> pers;
  std::string_view usual;
  std::string_view names;
};

Countable countable(LimitKind kind) {
  switch (kind) {
    case LimitKind::kRate: break;
    case LimitKind::kWaiting:
      return {{Per::kSession, Per::kUser, Per::kTenant}, "user", "session, user, tenant, or all"};
    case LimitKind::kRunning:
      return {{Per::kTool, Per::kTenant, Per::kUser, Per::kKey, Per::kSession},
              "tool",
              "tool, tenant, user, key, session, or all"};
  }
  return {{Per::kTenant, Per::kUser, Per::kKey, Per::kSession, Per::kTool},
          "user",
          "tenant, user, key, session, tool, or all"};
}

void read_per(Fields& fields, LimitAction& action) {
  const auto* value = fields.value("per");
  const auto counted = countable(action.limit.kind);
  if (value == nullptr) {
    action.per = {std::string(counted.usual)};
  } else if (value->is_text()) {
    fields.text("per", action.per.emplace_back());
    if (action.per.front() == "all") action.per.clear();
  } else {
    fields.texts("per", action.per);
  }
  for (const auto& name : action.per) {
    const auto found =
        std::find_if(kPers.begin(), kPers.end(), [&](const auto& one) { return one.name == name; });
    if (found == kPers.end() || std::ranges::find(counted.pers, found->per) == counted.pers.end())
      fields.wrong(
          "per", fmt::format("{} cannot be counted apart: use {}", in_quotes(name), counted.names));
    else
      action.limit.per.push_back(found->per);
  }
}

ActionPtr read_limit(const NamedMember& field, Mistakes& mistakes) {
  if (!field.value->is_map()) {
    mistakes.add(
        field.line,
        "`limit` must be a mapping: {rate: 5/s, burst: 10, per: user}, {waiting: 100, per: "
        "session} or {running: 4, per: tool}");
    return nullptr;
  }
  const auto before = mistakes.count();
  auto action = std::make_shared<LimitAction>();
  Fields fields(*field.value, "`limit`", mistakes);
  read_most(fields, *action);
  read_per(fields, *action);
  fields.only({"rate", "burst", "waiting", "running", "per"});
  return mistakes.count() == before ? action : nullptr;
}

Limit limit_of(const Rule& rule, const LimitAction& action) {
  Limit limit = action.limit;
  limit.name = rule.name;
  return limit;
}

/// Null: it limits nothing that runs.
const LimitAction* running_limit_of(const Rule& rule) {
  const auto* action = static_cast<const LimitAction*>(rule.action(kField));
  return action != nullptr && action->limit.kind == LimitKind::kRunning ? action : nullptr;
}

class LimitsExtension final : public Extension {
 public:
  Decision before(const Facts& facts) const override {
    Decision decision;
    for (const Rule* rule : facts.rules) {
      const auto* action = static_cast<const LimitAction*>(rule->action(kField));
      if (action == nullptr || action->limit.kind == LimitKind::kRunning) continue;
      decision.limits.push_back(limit_of(*rule, *action));
      decision.because += decision.because.empty() ? rule->name : ", " + rule->name;
    }
    return decision;
  }
};

}  // namespace

std::optional<nanoseconds> parse_rate(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::uint64_t count = 0;
  if (!parse_number(text.substr(0, slash), count) || count == 0) return std::nullopt;
  for (const auto& unit : kUnits) {
    if (unit.name != text.substr(slash + 1)) continue;
    if (count > kMaxRate * static_cast<std::uint64_t>(unit.length / std::chrono::seconds(1)))
      return std::nullopt;
    return unit.length / static_cast<std::int64_t>(count);
  }
  return std::nullopt;
}

bool has_running_limits(const Policy& policy) {
  return std::ranges::any_of(policy.rules,
                             [](const Rule& rule) { return running_limit_of(rule) != nullptr; });
}

std::vector<Limit> running_limits(const Policy& policy, const tools::model::Spec& spec,
                                  const Principal& caller) {
  std::vector<Limit> found;
  for (const Rule& rule : policy.rules) {
    const auto* action = running_limit_of(rule);
    if (action != nullptr && concerns(rule.conditions, spec, caller, roles_of(policy, caller)))
      found.push_back(limit_of(rule, *action));
  }
  return found;
}

std::vector<Limit> limits_about(const Policy& policy, const tools::model::Spec& spec,
                                const Principal& caller, const Json* arguments) {
  const auto rules = rules_about(policy, spec, caller, arguments);
  auto found = LimitsExtension().before({.caller = caller, .spec = spec, .rules = rules}).limits;
  for (auto& limit : running_limits(policy, spec, caller)) found.push_back(std::move(limit));
  return found;
}

ExtensionType limits_type() {
  static constexpr std::string_view kActions[]{kField};
  return {.name = "limits",
          .priority = Priority::kNormal,
          .actions = {kField},
          .read = &read_limit,
          .make = [](const PolicyPtr& policy) -> ExtensionPtr {
            if (!asks_for(*policy, kActions)) return nullptr;
            return std::make_shared<const LimitsExtension>();
          }};
}

}  // namespace toolway::extensions::builtin
