#include "cli/specs/reader_options.h"

#include <memory>

#include "tools/executors/python/python_config.h"
#include "tools/executors/python/python_kind.h"

namespace toolway::cli {
namespace {

/// What the spec says itself counts; the function fills in the rest.
Result<tools::Spec> describe(const tools::PythonOptions& python, tools::Spec spec) {
  const auto config = tools::parse_python_config(spec.implementation);
  if (!config) return fail(config.error());
  auto found = tools::describe_python(python, config->module, config->function);
  if (!found) return fail(found.error());
  if (found->tools.empty()) {
    return fail(ErrorCode::kInvalidSpec, found->refused.empty() ? "the module has no such function" : found->refused.front().reason);
  }
  const OrderedJson& told = found->tools.front();
  spec.input_schema = told.at("input_schema");
  if (spec.output_schema.is_null()) spec.output_schema = told.value("output_schema", OrderedJson());
  if (spec.description.empty()) spec.description = told.value("description", "");
  spec.multi_step = spec.multi_step || told.value("multi_step", false);
  return spec;
}

}  // namespace

tools::ReadSpecs spec_reader(const tools::Registry& builtin, tools::PythonOptions python) {
  auto natives = std::make_shared<std::vector<tools::Spec>>();
  for (const auto* tool : builtin.list()) {
    if (tool->spec().kind == tools::Kind::kNative) natives->push_back(tool->spec());
  }
  return [natives = std::move(natives), python = std::move(python)](std::string_view text, std::string_view origin) {
    tools::ReaderOptions options;
    options.natives = *natives;
    options.describe = [&python](tools::Spec spec) { return describe(python, std::move(spec)); };
    return tools::read_specs(text, origin, options);
  };
}

tools::PythonOptions python_options(const std::string& interpreter, const std::vector<std::string>& path) {
  return {.interpreter = interpreter, .path = path};
}

}  // namespace toolway::cli
