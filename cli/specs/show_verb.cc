// `toolway specs show`.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_names.h"
#include "base/try.h"
#include "cli/client/reporting.h"
#include "cli/process/reader_options.h"
#include "cli/specs/spec_texts.h"
#include "cli/specs/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"
#include "tools/executors/kind_types.h"
#include "tools/specs/yaml_text.h"

namespace toolway::cli::specs {
namespace {

/// As a spec file says it; YAML begins with comments on what came from overlays.
void print_spec(const SpecsOptions& options, const tools::loaders::OfferedSpec& spec) {
  const auto document = tools::model::to_document(*spec.spec);
  OrderedJson overlaid = OrderedJson::array();
  for (const auto& one : spec.overlaid) {
    overlaid.push_back({{"field", one.field}, {"at", fmt::format("{}:{}", one.origin, one.line)}});
  }
  if (options.view.json()) {
    client::print_json({{"spec", document},
                        {"digest", spec.digest},
                        {"enabled", spec.enabled},
                        {"at", spec.where()},
                        {"rollout", spec.rollout > 0 ? OrderedJson(spec.rollout) : OrderedJson()},
                        {"overlaid", overlaid}});
    return;
  }
  fmt::print("# {}{}{}, {}\n", spec.where(),
             spec.rollout > 0 ? fmt::format(", candidate for {} % of sessions", spec.rollout) : "",
             spec.enabled ? "" : ", not enabled", spec.digest.substr(0, 19));
  for (const auto& one : spec.overlaid)
    fmt::print("# {} comes from {}:{}\n", one.field, one.origin, one.line);
  fmt::print("{}", tools::specs::yaml_text(document));
}

Result<std::vector<tools::loaders::OfferedSpec>> stored(const SpecsOptions& options) {
  if (!options.env.empty()) {
    return fail(ErrorCode::kInvalidRequest,
                "overlays apply to files: name them after the spec; the database holds what "
                "was put, with the overlays of its environment");
  }
  ASSIGN_OR_RETURN(const auto opened, open_specs(options));
  ASSIGN_OR_RETURN(const auto changes, opened.store->history(options.name));
  std::vector<tools::loaders::OfferedSpec> found;
  for (const bool candidate : {false, true}) {
    const auto newest = std::find_if(changes.rbegin(), changes.rend(),
                                     [&](const auto& one) { return one.candidate == candidate; });
    if (newest == changes.rend() || newest->document.empty()) continue;
    ASSIGN_OR_RETURN(auto spec, tools::specs::spec_of_document(newest->document,
                                                               tools::executors::kind_types()));
    tools::loaders::OfferedSpec offered;
    offered.spec = std::make_shared<const tools::model::Spec>(std::move(spec));
    offered.digest = newest->digest;
    offered.origin = fmt::format("the database, number {}", newest->number);
    offered.enabled = newest->enabled;
    offered.rollout = newest->rollout;
    found.push_back(std::move(offered));
  }
  return found;
}

}  // namespace

int show_spec(const SpecsOptions& options) {
  std::vector<tools::loaders::OfferedSpec> found;
  std::vector<std::string> names;
  if (options.files.empty()) {
    auto specs = stored(options);
    if (!specs) return terminal::report_error(options.view, specs.error());
    found = *std::move(specs);
  } else {
    auto texts = read_spec_texts(
        options.files, process::python_options(options.python, options.python_path), options.env);
    if (!texts.mistakes.empty()) return report_spec_mistakes(options.view, texts.mistakes);
    for (auto& file : texts.files) {
      for (auto& one : file.specs) {
        names.push_back(one.spec->qualified_name());
        if (names.back() == options.name) found.push_back(std::move(one));
      }
    }
  }
  for (const auto& one : found) print_spec(options, one);
  if (!found.empty()) return terminal::kExitOk;
  const auto near = nearest_names(options.name, names);
  return terminal::report_error(
      options.view,
      {ErrorCode::kUnknownTool,
       fmt::format("there is no spec '{}'{}", options.name,
                   near.empty() ? "" : "; did you mean " + quoted_choices(near) + "?"),
       {}});
}

}  // namespace toolway::cli::specs
