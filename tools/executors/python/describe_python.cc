#include <fmt/format.h>

#include <thread>

#include "base/pause.h"
#include "base/try.h"
#include "tools/executors/python/interpreter_keeper.h"
#include "tools/executors/python/python_kind.h"
#include "tools/model/local_context.h"
#include "tools/process/shortage.h"

namespace toolway::tools::executors::python {
namespace {

constexpr std::chrono::seconds kImportTimeout{10};
constexpr std::size_t kLargest = std::size_t{16} << 20;

/// Asks the call to stop when its time has passed.
class TimeLimit {
 public:
  explicit TimeLimit(std::stop_source stop)
      : thread_([stop](const std::stop_token& done) mutable {
          if (pause(kImportTimeout, done)) stop.request_stop();
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace

Result<PythonDescription> describe_python(PythonOptions options, const std::string& module,
                                          const std::string& function) {
  options.warm = options.processes = 1;
  ASSIGN_OR_RETURN(auto pool, InterpreterKeeper::start(std::move(options)));
  model::LocalContext context;
  model::ProgressTo unread({});
  auto interpreter = pool->take(context.cancellation());
  if (!interpreter) return fail(ErrorCode::kInternal, interpreter.error().message);
  const Json arguments{{"module", module}, {"function", function}};
  const auto end =
      process::when_threads_are_left("a function's description", [&]() -> Result<PythonCallEnd> {
        const TimeLimit limit(context.stop);
        return run_python_call(**interpreter, {"_toolway_describe describe", kLargest, arguments},
                               context, unread);
      });
  pool->bring_back(std::move(*interpreter), PythonCallEnd::Interpreter::kSpent);
  RETURN_IF_ERROR(end);
  if (!end->execution) {
    if (context.stop.stop_requested()) {
      return fail(ErrorCode::kTimeout, fmt::format("module {} was not imported within {} s", module,
                                                   kImportTimeout.count()));
    }
    return fail(ErrorCode::kInvalidSpec, end->execution.error().message);
  }
  // As text, so that the order of keys is the function's.
  auto found = parse_ordered_json(end->execution->is_string() ? end->execution->get<std::string>()
                                                              : std::string());
  if (!found || !found->is_object())
    return fail(ErrorCode::kInternal, "the interpreter described nothing");
  PythonDescription description;
  description.tools = std::move((*found)["tools"]);
  for (const auto& one : (*found)["refused"]) {
    description.refused.push_back({one.value("function", ""), one.value("reason", "")});
  }
  return description;
}

}  // namespace toolway::tools::executors::python
