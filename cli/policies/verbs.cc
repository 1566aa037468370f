#include "cli/policies/verbs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <ranges>

#include "base/text.h"
#include "base/try.h"
#include "cli/client/operator_client.h"
#include "cli/client/reporting.h"
#include "cli/policies/policy_bucket.h"
#include "cli/process/named_file.h"
#include "cli/switches/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/moment.h"
#include "cli/terminal/report.h"
#include "cli/terminal/table.h"
#include "extensions/chain/effective.h"
#include "extensions/reader/policy_reader.h"
#include "tools/executors/kind_types.h"

namespace toolway::cli::policies {
namespace {

using extensions::PolicyPtr;
using extensions::reader::PolicyDocument;
using extensions::reader::StoredPolicy;

PolicyDocument read(std::string_view text, std::string_view origin) {
  return extensions::reader::read_policy(text, origin, extensions::chain::extension_types());
}

Error all_mistakes(const std::vector<toolway::Mistake>& mistakes) {
  return {ErrorCode::kInvalidSpec,
          fmt::format("{}",
                      fmt::join(mistakes | std::views::transform(&toolway::Mistake::text), "\n"))};
}

std::vector<std::string> texts_of(const OrderedJson& tool, const char* field) {
  const auto found = tool.find(field);
  return found == tool.end() ? std::vector<std::string>() : found->get<std::vector<std::string>>();
}

/// What the chain looks at of a tool, as a gateway shows it.
Result<tools::model::Spec> spec_from_gateway(const PolicyOptions& options) {
  ASSIGN_OR_RETURN(auto client, client::HttpClient::create(options.http));
  const auto ns = options.tool.substr(0, options.tool.find('.'));
  ASSIGN_OR_RETURN(const auto answer,
                   client->request("GET", "/v1/tools?namespace=" + percent_encoded(ns)));
  if (answer.status == 403)
    return fail(ErrorCode::kPermissionDenied,
                "to look at a tool of the fleet you need permission fleet:read yourself; --as "
                "says only whose calls are shown");
  if (!answer.ok()) return fail(client::error_of(answer));
  const auto json = answer.json();
  for (const auto& tool : json.value("tools", OrderedJson::array())) {
    if (client::cell(tool, "namespace") + "." + client::cell(tool, "name") != options.tool)
      continue;
    tools::model::Spec spec{.name = client::cell(tool, "name"),
                            .ns = client::cell(tool, "namespace"),
                            .category = tool.value("category", ""),
                            .permissions = texts_of(tool, "permissions"),
                            .dangerous = tool.value("dangerous", false),
                            .requires_approval = tool.value("requires_approval", false)};
    if (const auto* type = tools::executors::kind_types().find(tool.value("kind", "native")))
      spec.kind = type->kind;
    return spec;
  }
  return fail(ErrorCode::kUnknownTool,
              fmt::format("the fleet has no tool '{}': write namespace.name", options.tool));
}

/// Errors: kInvalidSpec with every mistake.
Result<PolicyPtr> policy_in(std::string_view text, std::string_view origin) {
  auto document = read(text, origin);
  if (!document.policy) return fail(all_mistakes(document.mistakes));
  return std::move(document.policy);
}

/// The policy of the file, or that in force.
Result<PolicyPtr> policy_of(const PolicyOptions& options) {
  if (!options.file.empty()) {
    ASSIGN_OR_RETURN(const auto text, process::read_named_file(options.file));
    return policy_in(text, options.file);
  }
  ASSIGN_OR_RETURN(auto policy, policy_in_force(options.fleet));
  if (!policy)
    return fail(ErrorCode::kNotFound,
                "no policy is in force: every user may call everything. Put one with `toolway "
                "extensions put FILE`, or look at a file with --file");
  return policy;
}

Result<std::vector<extensions::chain::Effect>> effects_of(const PolicyOptions& options,
                                                          const extensions::Principal& caller) {
  ASSIGN_OR_RETURN(const auto policy, policy_of(options));
  ASSIGN_OR_RETURN(const auto spec, spec_from_gateway(options));
  return extensions::chain::effects(policy, spec, caller);
}

OrderedJson shown(const StoredPolicy& policy) {
  return {{"number", policy.number}, {"by", policy.by}, {"at", policy.at}, {"text", policy.text}};
}

}  // namespace

int check_policy(const PolicyOptions& options) {
  const auto text = process::read_named_file(options.file);
  if (!text) return terminal::report_error(options.view, text.error());
  const auto document = read(*text, options.file);
  if (options.view.json()) {
    OrderedJson listed = OrderedJson::array();
    for (const auto& mistake : document.mistakes)
      listed.push_back(
          {{"origin", mistake.place}, {"line", mistake.line}, {"what", mistake.message}});
    client::print_json(
        {{"rules", document.policy ? document.policy->rules.size() : 0}, {"mistakes", listed}});
  } else if (document.policy) {
    const auto& policy = *document.policy;
    fmt::print("{} {}, {} {}\n", policy.rules.size(), policy.rules.size() == 1 ? "rule" : "rules",
               policy.roles ? policy.roles->size() : 0,
               policy.roles && policy.roles->size() == 1 ? "role" : "roles");
  } else {
    for (const auto& mistake : document.mistakes) fmt::print(stderr, "{}\n", mistake.text());
    fmt::print(stderr, "error: {} {}\n", document.mistakes.size(),
               document.mistakes.size() == 1 ? "mistake" : "mistakes");
  }
  return document.policy ? terminal::kExitOk : terminal::kExitUsage;
}

Result<PolicyPtr> policy_in_force(const switches::FleetNats& fleet) {
  ASSIGN_OR_RETURN(const auto bucket, PolicyBucket::open(fleet));
  ASSIGN_OR_RETURN(const auto stored, bucket->in_force());
  if (!stored) return PolicyPtr();
  return policy_in(stored->text, fmt::format("version {}", stored->number));
}

Result<void> check_file(const std::string& file) {
  ASSIGN_OR_RETURN(const auto text, process::read_named_file(file));
  RETURN_IF_ERROR(policy_in(text, file));
  return {};
}

Result<std::uint64_t> put_policy_file(const switches::FleetNats& fleet, const std::string& file,
                                      const std::string& by) {
  ASSIGN_OR_RETURN(auto text, process::read_named_file(file));
  RETURN_IF_ERROR(policy_in(text, file));
  ASSIGN_OR_RETURN(const auto bucket, PolicyBucket::open(fleet));
  return bucket->put(std::move(text), by.empty() ? switches::os_user() : by);
}

int put_policy(const PolicyOptions& options) {
  const auto number = put_policy_file(options.fleet, options.file, options.by);
  if (!number) return terminal::report_error(options.view, number.error());
  if (options.view.json()) {
    client::print_json({{"number", *number}});
  } else {
    fmt::print("version {} is in force: gateways and workers have it within 2 s\n", *number);
  }
  return terminal::kExitOk;
}

int show_policy(const PolicyOptions& options) {
  const extensions::Principal caller{.tenant_id = options.tenant,
                                     .user_id = options.as,
                                     .roles = options.roles,
                                     .method = std::string(extensions::kByHeader)};
  const auto found = effects_of(options, caller);
  if (!found)
    return terminal::report_error(options.view, found.error(),
                                  {.with_credential = client::has_token(options.http.reach)});
  OrderedJson rows = OrderedJson::array();
  terminal::Table table{.columns = {{.heading = "EXTENSION"},
                                    {.heading = "PRIORITY", .rank = 2},
                                    {.heading = "RULE"},
                                    {.heading = "LINE", .rank = 1},
                                    {.heading = "SAYS", .least = 20}},
                        .nothing = "the chain says nothing"};
  for (const auto& effect : *found) {
    const auto priority = extensions::priority_name(effect.priority);
    rows.push_back({{"extension", effect.extension},
                    {"priority", priority},
                    {"rule", effect.rule},
                    {"line", effect.line},
                    {"says", effect.says}});
    table.rows.push_back(
        {.cells = {std::string(effect.extension), std::string(priority), effect.rule,
                   effect.line == 0 ? "" : std::to_string(effect.line), effect.says}});
  }
  if (options.view.json())
    client::print_json({{"tool", options.tool}, {"user", options.as}, {"chain", rows}});
  else
    fmt::print("{}", terminal::render(std::move(table), options.view));
  return terminal::kExitOk;
}

int show_history(const PolicyOptions& options) {
  const auto bucket = PolicyBucket::open(options.fleet);
  if (!bucket) return terminal::report_error(options.view, bucket.error());
  const auto kept = (*bucket)->versions();
  if (!kept) return terminal::report_error(options.view, kept.error());
  if (options.number != 0) {
    const auto found = std::find_if(kept->begin(), kept->end(), [&](const auto& version) {
      return version.number == options.number;
    });
    if (found == kept->end())
      return terminal::report_error(
          options.view, {ErrorCode::kNotFound,
                         fmt::format("version {} is not kept: `toolway extensions history` lists "
                                     "those that are",
                                     options.number),
                         {}});
    if (options.view.json())
      client::print_json(shown(*found));
    else
      fmt::print("{}", found->text);
    return terminal::kExitOk;
  }
  OrderedJson rows = OrderedJson::array();
  terminal::Table table{.columns = {{.heading = "VERSION"},
                                    {.heading = "BY", .least = 8, .rank = 2},
                                    {.heading = "PUT", .rank = 1},
                                    {.heading = "BYTES"}},
                        .nothing = "no policy was ever put"};
  for (const auto& version : *kept) {
    rows.push_back(shown(version));
    table.rows.push_back({.cells = {std::to_string(version.number), version.by,
                                    terminal::moment_text(version.at, options.view),
                                    std::to_string(version.text.size())}});
  }
  if (options.view.json())
    client::print_json({{"versions", rows}});
  else
    fmt::print("{}", terminal::render(std::move(table), options.view));
  return terminal::kExitOk;
}

}  // namespace toolway::cli::policies
