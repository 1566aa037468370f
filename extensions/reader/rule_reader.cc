#include "extensions/reader/rule_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids.h"
#include "tools/executors/kind_types.h"
#include "tools/matching/tool_pattern.h"
#include "tools/matching/when_reader.h"

namespace toolway::extensions::reader {
namespace {

using tools::specs::Fields;
using tools::specs::Located;

}  // namespace

bool check_name(std::string_view name, std::string_view of, int line, Mistakes& mistakes) {
  if (valid_name(name)) return true;
  mistakes.add(line, fmt::format("{} is not a name of {}: use 1 to 64 of A-Z a-z 0-9 _ -",
                                 in_quotes(name), of));
  return false;
}

std::vector<std::string> read_texts(Fields& fields, std::string_view name, Mistakes& mistakes) {
  const auto* value = fields.value(name);
  std::vector<std::string> read;
  if (value == nullptr) return read;
  if (value->is_text()) {
    fields.text(name, read.emplace_back());
    return read;
  }
  const auto before = mistakes.count();
  fields.texts(name, read);
  if (mistakes.count() == before && read.empty())
    fields.wrong(name, fmt::format("`{}` is empty: name at least one, or leave it out", name));
  return read;
}

void check_roles(const std::vector<std::string>& named, int line, const Policy& policy,
                 Mistakes& mistakes) {
  if (!policy.roles) return;
  for (const auto& role : named) {
    if (policy.roles->contains(role)) continue;
    std::vector<std::string> there;
    for (const auto& [name, permissions] : *policy.roles) there.push_back(name);
    const auto near = nearest_names(role, there, 1);
    mistakes.add(line, fmt::format("`roles` has no {}{}", in_quotes(role),
                                   near.empty() ? "" : "; did you mean " + near.front() + "?"));
  }
}

void RuleReader::read_conditions(Fields& fields, Conditions& of) {
  of.namespaces = read_texts(fields, "namespaces", mistakes_);
  of.tools = read_texts(fields, "tools", mistakes_);
  for (const auto& pattern : of.tools) {
    if (!tools::matching::valid_tool_pattern(pattern))
      fields.wrong("tools",
                   fmt::format("{} is not a tool: write namespace.name, a pattern such as web.*, "
                               "or \"*\"",
                               in_quotes(pattern)));
  }
  of.kinds = read_texts(fields, "kinds", mistakes_);
  for (const auto& kind : of.kinds) {
    if (tools::executors::kind_types().find(kind) == nullptr)
      fields.wrong("kinds", fmt::format("{} is not a kind: use {}", in_quotes(kind),
                                        tools::executors::kind_types().names()));
  }
  of.categories = read_texts(fields, "categories", mistakes_);
  of.permissions = read_texts(fields, "permissions", mistakes_);
  of.roles = read_texts(fields, "roles", mistakes_);
  check_roles(of.roles, fields.line_of("roles"), policy_, mistakes_);
  of.tenants = read_texts(fields, "tenants", mistakes_);
  if (fields.find("dangerous") != nullptr) fields.flag("dangerous", of.dangerous.emplace());
  if (const auto* when = fields.map("when")) of.when = tools::matching::read_when(*when, mistakes_);
}

void RuleReader::read_actions(Fields& fields, Rule& rule) {
  for (const auto& type : types_) {
    for (const auto& name : type.actions) {
      const auto* field = fields.find(name);
      if (field == nullptr) continue;
      auto action = type.read(*field, mistakes_);
      if (!action) continue;
      check_roles(action->roles(), field->line, policy_, mistakes_);
      if (const auto why = action->cannot_look_at_arguments(); rule.conditions.when && !why.empty())
        mistakes_.add(field->line, std::string(why));
      rule.actions.emplace_back(name, std::move(action));
    }
  }
}

std::optional<Rule> RuleReader::read(const Located& entry, int line) {
  const auto before = mistakes_.count();
  if (!entry.is_map()) {
    mistakes_.add(line, "a rule must be a mapping: `name`, conditions, and what to do");
    return std::nullopt;
  }
  Fields fields(entry, "a rule", mistakes_);
  Rule rule{.name = {}, .line = line, .conditions = {}, .actions = {}};
  fields.required_text("name", rule.name);
  if (!rule.name.empty()) check_name(rule.name, "a rule", fields.line_of("name"), mistakes_);
  read_conditions(fields, rule.conditions);
  read_actions(fields, rule);
  fields.nothing_else();
  if (fields.find("refuse") != nullptr && fields.find("allow") != nullptr)
    fields.wrong("allow", "the rule refuses, so it cannot allow: leave `allow` or `refuse` out");
  if (rule.actions.empty() && mistakes_.count() == before)
    fields.wrong_whole(
        "the rule does nothing: add `refuse`, `allow`, `approval`, `limit`, `redact` or `ask`");
  return mistakes_.count() == before ? std::optional(std::move(rule)) : std::nullopt;
}

}  // namespace toolway::extensions::reader
