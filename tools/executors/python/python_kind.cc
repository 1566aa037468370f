#include "tools/executors/python/python_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/try.h"
#include "tools/executors/python/interpreter_keeper.h"
#include "tools/executors/python/python_config.h"
#include "tools/native/native_tool.h"

namespace toolway::tools::executors::python {
namespace {

/// The function as the host is asked for it: with the names that are arguments
/// although they look like the context.
std::string function_of(const PythonConfig& config, const OrderedJson& schema) {
  std::string key = config.module + " " + config.function;
  const auto properties = schema.find("properties");
  if (properties == schema.end() || !properties->is_object()) return key;
  for (const char* name : {"context", "ctx"}) {
    if (properties->contains(name)) key += fmt::format(" {}", name);
  }
  return key;
}

bool has_defaults(const OrderedJson& schema) {
  const auto properties = schema.find("properties");
  return properties != schema.end() && properties->is_object() &&
         std::any_of(properties->begin(), properties->end(), [](const OrderedJson& property) {
           return property.is_object() && property.contains("default");
         });
}

class PythonTool final : public model::Tool {
 public:
  PythonTool(model::Spec spec, std::string function, std::shared_ptr<InterpreterPool> pool)
      : spec_(std::move(spec)),
        function_(std::move(function)),
        has_defaults_(has_defaults(spec_.input_schema)),
        pool_(std::move(pool)) {}

  const model::Spec& spec() const override { return spec_; }

  model::Execution execute(const Json& given, model::ToolContext& context,
                           model::Progress& progress) const override {
    const Json defaulted =
        has_defaults_ ? native::with_defaults(spec_.input_schema, given) : Json();
    const Json& arguments = has_defaults_ ? defaulted : given;
    for (;;) {
      ASSIGN_OR_RETURN(auto interpreter, pool_->take(context.cancellation()));
      auto end = run_python_call(*interpreter, {function_, spec_.result.max_bytes, arguments},
                                 context, progress);
      pool_->bring_back(std::move(interpreter), end.interpreter);
      // Each time one that had imported old files is gone: this ends.
      if (end.interpreter != PythonCallEnd::Interpreter::kStale) return std::move(end.execution);
    }
  }

 private:
  const model::Spec spec_;
  const std::string function_;
  const bool has_defaults_;
  const std::shared_ptr<InterpreterPool> pool_;
};

class PythonKind final : public model::ToolKind {
 public:
  explicit PythonKind(std::shared_ptr<InterpreterPool> pool) : pool_(std::move(pool)) {}
  model::Kind kind() const override { return model::Kind::kPython; }
  Result<std::shared_ptr<const model::Tool>> make(model::Spec spec) override {
    ASSIGN_OR_RETURN(const auto config, parse_python_config(spec.implementation));
    auto function = function_of(config, spec.input_schema);
    return std::make_shared<const PythonTool>(std::move(spec), std::move(function), pool_);
  }

 private:
  const std::shared_ptr<InterpreterPool> pool_;
};

}  // namespace

model::KindType python_kind_type() {
  return {.kind = model::Kind::kPython,
          .slots = 4 * std::max<std::size_t>(1, std::thread::hardware_concurrency()),
          .settings = {"interpreter", "path"},
          .check = [](const model::Spec& spec) { return check_python_config(spec.implementation); },
          .make =
              [](const model::KindOptions& options) {
                return make_python_kind(
                    {.interpreter = options.setting("interpreter", "python3"),
                     .path = options.all("path"),
                     .processes = options.slots,
                     // Elsewhere the first call of such a tool waits for one.
                     .warm = options.has_pool ? std::min<std::size_t>(2, options.slots) : 0});
              }};
}

Result<std::shared_ptr<model::ToolKind>> make_python_kind(PythonOptions options) {
  ASSIGN_OR_RETURN(auto pool, InterpreterKeeper::start(std::move(options)));
  return std::make_shared<PythonKind>(std::move(pool));
}

}  // namespace toolway::tools::executors::python
