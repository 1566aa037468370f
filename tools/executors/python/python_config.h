#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/mistake.h"
#include "base/result.h"
#include "tools/model/kinds.h"

namespace toolway::tools::executors::python {

/// `implementation_config` of a python tool.
struct PythonConfig {
  std::string module;  ///< dotted, as `import` takes it
  std::string
      function;  ///< `function_name`: a function of that module, or `Class.method` for a static one
};

/// Pure. Pointers begin with `/implementation_config`.
std::vector<Mistake> check_python_config(const OrderedJson& config);
/// Errors: kInvalidSpec with the first mistake.
Result<PythonConfig> parse_python_config(const OrderedJson& config);

}  // namespace toolway::tools::executors::python
