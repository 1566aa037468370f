#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tools/executors/python/python_options.h"
#include "tools/model/kind_types.h"

namespace toolway::tools::executors::python {

/// Runs tools of kind `python`. Starts its interpreters, and returns when the
/// first are ready. Errors: kNotFound, kInternal, naming the interpreter and why it
/// does not start.
Result<std::shared_ptr<model::ToolKind>> make_python_kind(PythonOptions options);

/// Settings: `interpreter`, `path` (several).
model::KindType python_kind_type();

/// What the functions of a module look like as tools.
struct PythonDescription {
  /// An array of spec documents: name, description, kind, input_schema,
  /// output_schema, multi_step, implementation_config.
  OrderedJson tools = OrderedJson::array();
  struct Refused {
    std::string function;
    std::string reason;
  };
  std::vector<Refused> refused{};
};

/// Reads type hints and docstrings of `module`, in an interpreter of its own; imports
/// the module, and runs no function. `function` empty: every public function
/// that the module defines. Takes at most 10 s. Errors: as make_python_kind;
/// kInvalidSpec with what Python says (no such module, it cannot be imported), kTimeout.
Result<PythonDescription> describe_python(PythonOptions options, const std::string& module,
                                          const std::string& function = {});

}  // namespace toolway::tools::executors::python
