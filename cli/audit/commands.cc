#include "cli/audit/commands.h"

namespace toolway::cli::audit {

void add_audit_verbs(CLI::App& app, AuditOptions& options, terminal::ViewOptions& view,
                     std::function<int()>& verb) {
  auto* audit = app.add_subcommand("audit", "The record of calls and decisions: verify, export");
  audit->require_subcommand(0, 1);
  const auto add = [&](const char* name, const char* text, int (*run)(const AuditOptions&)) {
    auto* sub = audit->add_subcommand(name, text);
    sub->add_option("--postgres-url-file", options.postgres_file,
                    "file with the Postgres URL (TOOLWAY_POSTGRES_URL, or that of a running "
                    "`toolway dev`)");
    sub->add_option("--data", options.data,
                    "directory of a running `toolway dev` (.toolway, if there is one)");
    sub->callback([&options, &verb, run] { verb = [&options, run] { return run(options); }; });
    return sub;
  };
  auto* verify = add("verify",
                     "Say what was changed, is missing, was added or moved; status 1 if "
                     "anything was",
                     verify_audit);
  terminal::add_table_options(*verify, view);
  verify->add_option("--seal-keys", options.keys_file,
                     "file of the keys that sealed it (that of a running `toolway dev`)");
  verify->add_option("--last", options.last,
                     "NUMBER:MAC of a last seal that you noted: what was cut off since is missing");
  auto* made = add("export", "Write the records as NDJSON", export_audit);
  made->add_option("--since", options.since, "an age (2h, 7d), or a time (RFC 3339)");
  made->add_option("--until", options.until, "likewise; records of before then");
  made->add_option("--tenant", options.tenant, "only those of a tenant");
  made->add_option("--what", options.what, "only one kind: call_ended, call_decided, refused, …");
}

}  // namespace toolway::cli::audit
