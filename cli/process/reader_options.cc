#include "cli/process/reader_options.h"

#include <memory>

#include "base/try.h"
#include "tools/executors/python/python_config.h"
#include "tools/executors/python/python_kind.h"

namespace toolway::cli {
namespace {

/// What the spec says itself counts; the function fills in the rest.
Result<tools::Spec> describe(const tools::PythonOptions& python, tools::Spec spec) {
  ASSIGN_OR_RETURN(const auto config, tools::parse_python_config(spec.implementation));
  ASSIGN_OR_RETURN(auto found, tools::describe_python(python, config.module, config.function));
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
  Reading(const tools::Registry& builtin, tools::PythonOptions of_python)
      : python(std::move(of_python)) {
    for (const auto* tool : builtin.list()) {
      if (tool->spec().kind == tools::Kind::kNative) natives.push_back(tool->spec());
    }
  }
  tools::ReaderOptions options(tools::Entries entries) const {
    tools::ReaderOptions made;
    made.natives = natives;
    made.describe = [this](tools::Spec spec) { return describe(python, std::move(spec)); };
    made.entries = entries;
    return made;
  }
  std::vector<tools::Spec> natives;
  const tools::PythonOptions python;
};

}  // namespace

tools::ReadSpecs spec_reader(const tools::Registry& builtin, tools::PythonOptions python,
                             tools::Entries entries) {
  return [reading = std::make_shared<const Reading>(builtin, std::move(python)), entries](
             std::string_view text, std::string_view origin) {
    return tools::read_specs(text, origin, reading->options(entries));
  };
}

std::unique_ptr<tools::Overlays> overlays_of(const std::string& env, const tools::Registry& builtin,
                                             tools::PythonOptions python) {
  if (env.empty()) return nullptr;
  auto read = [reading = std::make_shared<const Reading>(builtin, std::move(python))](
                  const tools::Located& entry, const tools::Places& places) {
    return tools::read_spec_entry(entry, places, reading->options(tools::Entries::kForgotten));
  };
  return std::make_unique<tools::Overlays>(env, std::move(read));
}

tools::PythonOptions python_options(const std::string& interpreter,
                                    const std::vector<std::string>& path) {
  return {.interpreter = interpreter, .path = path};
}

}  // namespace toolway::cli
