#include <fmt/format.h>

#include <cstdio>

#include "base/ids.h"
#include "cli/client/reporting.h"
#include "cli/process/reader_options.h"
#include "cli/specs/verbs.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/report.h"
#include "tools/executors/python/python_kind.h"
#include "tools/specs/yaml_text.h"

namespace toolway::cli::specs {

int specs_from_python(const SpecsOptions& options) {
  if (!valid_name(options.ns)) {
    return terminal::report_error(
        options.view,
        {ErrorCode::kInvalidRequest,
         fmt::format("--namespace '{}' must be 1 to 64 characters of A-Z a-z 0-9 _ -", options.ns),
         {}});
  }
  auto described = tools::executors::python::describe_python(
      process::python_options(options.python, options.python_path), options.module);
  if (!described) return terminal::report_error(options.view, described.error());
  OrderedJson specs = OrderedJson::array();
  for (const auto& told : described->tools) {
    OrderedJson spec = {{"name", told.at("name")}, {"namespace", options.ns}};
    for (const auto& [field, value] : told.items()) {
      if (field != "name" && !value.is_null()) spec[field] = value;
    }
    specs.push_back(std::move(spec));
  }
  for (const auto& [function, reason] : described->refused)
    fmt::print(stderr, "left out {}: {}\n", function, reason);
  if (specs.empty()) {
    return terminal::report_error(
        options.view,
        {ErrorCode::kInvalidSpec,
         fmt::format("module '{}' has no function that can be a tool", options.module),
         {}});
  }
  const OrderedJson document = {{"tools", std::move(specs)}};
  fmt::print("{}",
             options.view.json() ? document.dump(2) + "\n" : tools::specs::yaml_text(document));
  return terminal::kExitOk;
}

}  // namespace toolway::cli::specs
