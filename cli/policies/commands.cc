#include "cli/policies/commands.h"

#include "cli/client/reach_options.h"

namespace toolway::cli::policies {
namespace {

CLI::App* add(CLI::App& to, const char* name, const char* text, int (*run)(const PolicyOptions&),
              PolicyOptions& options, terminal::ViewOptions& view, std::function<int()>& verb) {
  auto* sub = to.add_subcommand(name, text);
  terminal::add_table_options(*sub, view);
  sub->callback([&options, &verb, run] { verb = [&options, run] { return run(options); }; });
  return sub;
}

void add_fleet(CLI::App& sub, PolicyOptions& options) {
  sub.add_option("--nats", options.fleet.nats,
                 "NATS servers (TOOLWAY_NATS_URL, or those of a running `toolway dev`)");
  sub.add_option("--data", options.fleet.data,
                 "directory of a running `toolway dev` (.toolway, if there is one)");
}

}  // namespace

void add_policy_verbs(CLI::App& app, PolicyOptions& options, terminal::ViewOptions& view,
                      std::function<int()>& verb) {
  auto* all =
      app.add_subcommand("extensions", "Rules and roles for calls: check, put in force, show");
  all->require_subcommand(0, 1);
  auto* check = add(*all, "check", "Check an extensions.yaml", check_policy, options, view, verb);
  check->add_option("file", options.file, "extensions.yaml")->required();
  auto* put = add(*all, "put", "Put an extensions.yaml in force, everywhere", put_policy, options,
                  view, verb);
  put->add_option("file", options.file, "extensions.yaml")->required();
  put->add_option("--by", options.by, "who does it (default: the operating system's user)");
  auto* show = add(*all, "show", "Show what the chain says about a tool, and which rule says so",
                   show_policy, options, view, verb);
  show->add_option("tool", options.tool, "namespace.name")->required();
  show->add_option("--as", options.as, "user who would call it")->capture_default_str();
  show->add_option("--role", options.roles,
                   "role of the user's credential; repeatable (default: as the policy says)");
  show->add_option("--tenant", options.tenant, "tenant of the user")->capture_default_str();
  show->add_option("--file", options.file, "extensions.yaml to look at, instead of that in force");
  show->add_option("--url", options.http.url, "gateway to ask for the tool (TOOLWAY_URL)")
      ->capture_default_str();
  client::add_reach_options(*show, options.http.reach);
  auto* history = add(*all, "history", "List the versions that were in force, or print one",
                      show_history, options, view, verb);
  history->add_option("version", options.number, "number of the version to print");
  for (auto* sub : {put, show, history}) add_fleet(*sub, options);
}

}  // namespace toolway::cli::policies
