#include "cli/keys/commands.h"

namespace toolway::cli::keys {

void add_key_verbs(CLI::App& app, KeyOptions& options, terminal::ViewOptions& view,
                   std::function<int()>& verb) {
  auto* keys = app.add_subcommand("keys", "API keys: create, list, revoke");
  keys->require_subcommand(0, 1);
  const auto add = [&](const char* name, const char* text, int (*run)(const KeyOptions&)) {
    auto* sub = keys->add_subcommand(name, text);
    sub->add_option("--nats", options.fleet.nats,
                    "NATS servers (TOOLWAY_NATS_URL, or those of a running `toolway dev`)");
    sub->add_option("--data", options.fleet.data,
                    "directory of a running `toolway dev` (.toolway, if there is one)");
    terminal::add_table_options(*sub, view);
    sub->callback([&options, &verb, run] { verb = [&options, run] { return run(options); }; });
    return sub;
  };
  auto* create = add("create", "Create a key and print it, once", create_key);
  create->add_option("--user", options.user, "whose requests it makes")->required();
  create->add_option("--tenant", options.tenant, "tenant of the user")->capture_default_str();
  create
      ->add_option("--role", options.roles,
                   "role that the policy grants permissions to; repeatable")
      ->delimiter(',')
      ->allow_extra_args(false);
  create
      ->add_option("--namespaces,-n", options.namespaces,
                   "tool namespaces it is limited to, * for any characters; repeatable")
      ->delimiter(',')
      ->allow_extra_args(false);
  create->add_option("--expires", options.expires, "90d, 12h, 30m, or never")
      ->capture_default_str();
  create->add_option("--note", options.note, "what it is for");
  add("list", "List keys: whose, until when, when last used", list_keys);
  auto* revoke = add("revoke", "Revoke a key, everywhere", revoke_key);
  revoke->add_option("id", options.id, "the key's id, as `keys list` shows it")->required();
  for (auto* sub : {create, revoke})
    sub->add_option("--by", options.by, "who does it (default: the operating system's user)");
}

}  // namespace toolway::cli::keys
