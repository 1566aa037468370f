#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/client/verbs.h"
#include "persistence/specs/spec_store.h"
#include "tools/specs/reader.h"

/// `toolway specs …`. Each prints, and returns the exit status.
namespace toolway::cli::specs {

struct SpecsOptions {
  std::string postgres_url;        ///< from the environment; a secret
  std::string postgres_file;       ///< file that holds it
  std::string data;                ///< of a running `toolway dev`; empty: .toolway, if that is one
  client::ClientOptions http;      ///< of the gateway to ask; an empty URL: none is named
  bool no_wait = false;            ///< of put, rollback, promote: does not wait for the gateways
  std::vector<std::string> files;  ///< of check and put: files and directories
  std::vector<std::string> names;  ///< of remove
  std::string module;              ///< of from-python
  std::string ns = "default";      ///< of the specs that from-python writes
  std::string python = "python3";  ///< interpreter that describes python functions
  std::vector<std::string> python_path{"."};
  terminal::View view;
  std::string env;         ///< of check, put and show: whose overlays are applied; empty: none
  unsigned rollout = 0;    ///< of put: percent of sessions that get it as a candidate
  bool candidate = false;  ///< of remove: only the candidate
  std::string by;          ///< who does it; empty: the operating system's user
  std::string note;        ///< for the history
  std::string name;        ///< of history, diff, rollback, promote
  std::string to;          ///< of rollback: number or digest; empty: the version before
  std::vector<std::int64_t> numbers;  ///< of history and diff: the two versions to compare
};

int check_specs(const SpecsOptions& options);
int put_specs(const SpecsOptions& options);
int list_specs(const SpecsOptions& options);
int remove_specs(const SpecsOptions& options);
// version_verbs.cc
int spec_history(const SpecsOptions& options);
/// What differs between two versions in the database, field by field.
int diff_specs(const SpecsOptions& options);
/// The spec in force under a name, from files with their overlays, or from the database.
int show_spec(const SpecsOptions& options);
int roll_spec_back(const SpecsOptions& options);
int promote_spec(const SpecsOptions& options);
/// Writes the specs of a module's functions, as YAML or JSON.
int specs_from_python(const SpecsOptions& options);

/// Where the specs are that a verb reads or changes.
struct OpenedSpecs {
  std::unique_ptr<persistence::specs::SpecStore> store;
  std::vector<client::ClientOptions> gateways;  ///< through which; none: Postgres itself
};
/// The Postgres of the file that was named, or of the environment where no gateway is named with a
/// token; else the gateway that was named, or those of a running `toolway dev`. Errors:
/// kInvalidRequest: none of them.
Result<OpenedSpecs> open_specs(const SpecsOptions& options);
/// Waits until the gateways have taken up what was done to `names`, unless they were not asked or
/// `no_wait`. Returns the exit status.
int await_taken_up(const SpecsOptions& options, const OpenedSpecs& opened,
                   const std::vector<std::string>& names);
/// On standard error; the exit status of a verb that was given wrong specs.
int report_spec_mistakes(const terminal::View& view, const std::vector<toolway::Mistake>& mistakes);
persistence::specs::SpecAuthor spec_author(const SpecsOptions& options);

}  // namespace toolway::cli::specs
