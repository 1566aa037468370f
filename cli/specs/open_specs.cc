// Where the specs are that `toolway specs` reads and changes.
#include <fmt/format.h>

#include <filesystem>

#include "base/try.h"
#include "cli/process/named_file.h"
#include "cli/process/reader_options.h"
#include "cli/specs/http_spec_store.h"
#include "cli/specs/in_force.h"
#include "cli/specs/verbs.h"
#include "cli/stack/operator_reach.h"
#include "cli/stack/stack.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"
#include "persistence/specs/postgres_spec_store.h"

namespace toolway::cli::specs {
namespace {

/// A gateway looks once a second, and a database in trouble makes it wait.
constexpr std::chrono::seconds kTakeUpPatience{15};

OpenedSpecs in_postgres(std::string url) {
  return {.store = std::make_unique<persistence::specs::PostgresSpecStore>(
              std::move(url), process::check_stored_version),
          .gateways = {}};
}

Result<OpenedSpecs> of_file(const std::string& file) {
  ASSIGN_OR_RETURN(auto url, process::read_named_file(file));
  while (url.ends_with('\n') || url.ends_with(' ')) url.pop_back();
  return in_postgres(std::move(url));
}

}  // namespace

Result<OpenedSpecs> open_specs(const SpecsOptions& options) {
  if (!options.postgres_file.empty()) return of_file(options.postgres_file);
  if (!options.postgres_url.empty() && options.data.empty() &&
      !stack::takes_operators(options.http))
    return in_postgres(options.postgres_url);
  auto gateways = stack::operator_gateways(options.http, options.data);
  if (!gateways.empty())
    return OpenedSpecs{.store = std::make_unique<HttpSpecStore>(gateways.front()),
                       .gateways = std::move(gateways)};
  const auto data = options.data.empty() ? stack::StackOptions().data : options.data;
  return fail(
      ErrorCode::kInvalidRequest,
      fmt::format("no gateway and no Postgres: no `toolway dev` is running on {}; start it, "
                  "name its directory with --data, name a gateway with --url or "
                  "TOOLWAY_URL, or Postgres with --postgres-url-file or "
                  "TOOLWAY_POSTGRES_URL",
                  data));
}

int await_taken_up(const SpecsOptions& options, const OpenedSpecs& opened,
                   const std::vector<std::string>& names) {
  if (options.no_wait || opened.gateways.empty() || names.empty()) return terminal::kExitOk;
  std::fflush(stdout);
  const auto left_out = await_in_force(opened.gateways, names, kTakeUpPatience,
                                       options.view.json() ? Tells::kNo : Tells::kYes);
  if (!left_out) return terminal::report_error(options.view, left_out.error());
  for (const auto& name : *left_out)
    terminal::print_warning(
        options.view,
        fmt::format("{} is in the database, but not what the gateway offers: a file or URL of its "
                    "own has that name, or the gateway's log says what is wrong with it",
                    name));
  return terminal::kExitOk;
}

}  // namespace toolway::cli::specs
