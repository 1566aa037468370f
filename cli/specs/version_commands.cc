#include "cli/specs/version_commands.h"

#include "tools/model/rollout.h"

namespace toolway::cli::specs {

std::vector<CLI::App*> add_spec_version_verbs(CLI::App& check, CLI::App& put, CLI::App& remove,
                                              const AddSpecVerb& verb, SpecsOptions& options) {
  put.add_option("--rollout", options.rollout,
                 "percent of sessions that get it, as a candidate next to the stable version")
      ->check(CLI::Range(tools::model::kLeastRollout, tools::model::kMaxRollout));
  remove.add_flag("--candidate", options.candidate, "only the candidate; the stable version stays");
  auto* show = verb(
      "show",
      "Show the spec in force under a name: from files with their overlays, or from the database",
      show_spec);
  for (auto* sub : {&check, &put, show})
    sub->add_option("--env", options.env, "environment whose overlays are applied");
  auto* history = verb("history", "Show what was done to a spec, and by whom", spec_history);
  auto* diff = verb("diff", "Show what differs between two versions, field by field", diff_specs);
  auto* rollback =
      verb("rollback", "Make an earlier version of a spec the one in force", roll_spec_back);
  auto* promote = verb("promote", "Make the candidate the only version of a spec", promote_spec);
  for (auto* sub : {show, history, diff, rollback, promote})
    sub->add_option("name", options.name, "namespace.name")->required();
  show->add_option("file", options.files, "files or directories (default: the database)");
  history->add_option("--diff", options.numbers, "two numbers: show what differs between them")
      ->expected(2);
  diff->add_option("versions", options.numbers, "two numbers of the history")
      ->expected(2)
      ->required();
  rollback->add_option(
      "--to", options.to,
      "number, digest or a digest's first characters (default: the version before)");
  for (auto* sub : {&put, &remove, rollback, promote}) {
    sub->add_option("--by", options.by, "who does it (default: the operating system's user)");
    sub->add_option("--note", options.note, "kept in the history");
  }
  for (auto* sub : {&put, rollback, promote})
    sub->add_flag("--no-wait", options.no_wait,
                  "do not wait until the gateways have taken up the change");
  return {show, history, diff, rollback, promote};
}

}  // namespace toolway::cli::specs
