#include "cli/process/reader_options.h"

#include <memory>

#include "base/try.h"
#include "tools/builtin/stored_version.h"
#include "tools/executors/kind_types.h"
#include "tools/executors/python/python_config.h"
#include "tools/executors/python/python_kind.h"
#include "tools/loaders/spec_files.h"

namespace toolway::cli::process {
namespace {

/// What the spec says itself counts; the function fills in the rest.
Result<tools::model::Spec> describe(const tools::executors::python::PythonOptions& python,
                                    tools::model::Spec spec) {
  ASSIGN_OR_RETURN(const auto config,
                   tools::executors::python::parse_python_config(spec.implementation));
  ASSIGN_OR_RETURN(auto found, tools::executors::python::describe_python(python, config.module,
                                                                         config.function));
  if (found.tools.empty()) {
    return fail(ErrorCode::kInvalidSpec, found.refused.empty() ? "the module has no such function"
                                                               : found.refused.front().reason);
  }
  const OrderedJson& told = found.tools.front();
  spec.input_schema = told.at("input_schema");
  if (spec.output_schema.is_null()) spec.output_schema = told.value("output_schema", OrderedJson());
  if (spec.description.empty()) spec.description = told.value("description", "");
  spec.multi_step = spec.multi_step || told.value("multi_step", false);
  return spec;
}

/// What readers need, kept as long as they are used.
struct Reading {
  Reading(const tools::model::Registry& builtin, tools::executors::python::PythonOptions of_python)
      : python(std::move(of_python)) {
    for (const auto* tool : builtin.list()) {
      if (tool->spec().kind == tools::model::Kind::kNative) natives.push_back(tool->spec());
    }
  }
  tools::specs::ReaderOptions options(tools::specs::Entries entries) const {
    return {
        .kinds = tools::executors::kind_types(),
        .natives = natives,
        .describe = [this](tools::model::Spec spec) { return describe(python, std::move(spec)); },
        .content = tools::loaders::read_named_content,
        .entries = entries};
  }
  std::vector<tools::model::Spec> natives;
  const tools::executors::python::PythonOptions python;
};

}  // namespace

tools::loaders::ReadSpecs spec_reader(const tools::model::Registry& builtin,
                                      tools::executors::python::PythonOptions python,
                                      tools::specs::Entries entries, Contents contents) {
  return [reading = std::make_shared<const Reading>(builtin, std::move(python)), entries, contents](
             std::string_view text, std::string_view origin) {
    auto options = reading->options(entries);
    if (contents == Contents::kRefused) options.content = nullptr;
    return tools::specs::read_specs(text, origin, options);
  };
}

tools::loaders::ReadSpecs sent_spec_reader(const tools::model::Registry& builtin) {
  return [reading =
              std::make_shared<const Reading>(builtin, tools::executors::python::PythonOptions{})](
             std::string_view text, std::string_view origin) {
    auto options = reading->options(tools::specs::Entries::kForgotten);
    options.describe = nullptr;
    options.content = nullptr;
    return tools::specs::read_specs(text, origin, options);
  };
}

std::unique_ptr<tools::loaders::Overlays> overlays_of(
    const std::string& env, const tools::model::Registry& builtin,
    tools::executors::python::PythonOptions python) {
  if (env.empty()) return nullptr;
  auto read = [reading = std::make_shared<const Reading>(builtin, std::move(python))](
                  const tools::specs::Located& entry, const tools::specs::Places& places) {
    return tools::specs::read_spec_entry(entry, places,
                                         reading->options(tools::specs::Entries::kForgotten));
  };
  return std::make_unique<tools::loaders::Overlays>(env, std::move(read));
}

Result<void> check_stored_version(const std::string& document) {
  return tools::builtin::check_stored_version(document, tools::executors::kind_types());
}

tools::executors::python::PythonOptions python_options(const std::string& interpreter,
                                                       const std::vector<std::string>& path) {
  return {.interpreter = interpreter, .path = path};
}

}  // namespace toolway::cli::process
