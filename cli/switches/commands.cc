#include "cli/switches/commands.h"

#include "cli/client/reach_options.h"

namespace toolway::cli::switches {

void add_switch_verbs(CLI::App& tools, SwitchOptions& options, terminal::ViewOptions& view,
                      std::function<int()>& verb) {
  const auto add = [&](const char* name, const char* text, int (*run)(const SwitchOptions&)) {
    auto* sub = tools.add_subcommand(name, text);
    sub->add_option("--url", options.http.url,
                    "gateway to do it through (TOOLWAY_URL, or that of a running `toolway dev`)");
    client::add_reach_options(*sub, options.http.reach);
    sub->add_option("--nats", options.nats,
                    "NATS servers, instead of a gateway: it works while none answers");
    sub->add_option("--data", options.data,
                    "directory of a running `toolway dev` (.toolway, if there is one)");
    terminal::add_table_options(*sub, view);
    sub->callback([&options, &verb, run] { verb = [&options, run] { return run(options); }; });
    return sub;
  };
  auto* disable = add("disable", "Switch a tool or a namespace off, everywhere", disable_tool);
  auto* enable = add("enable", "Switch it on again", enable_tool);
  add("disabled", "List what is switched off", list_disabled);
  for (auto* sub : {disable, enable})
    sub->add_option("name", options.name, "namespace.name, or a namespace")->required();
  disable->add_option("--reason", options.reason, "shown to the tool's callers");
  disable->add_flag("--future", options.future, "also if the fleet has no such tool or namespace");
  disable->add_option("--by", options.by, "who does it (default: the operating system's user)");
}

}  // namespace toolway::cli::switches
