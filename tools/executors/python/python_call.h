#pragma once

#include <string_view>

#include "tools/executors/python/interpreter.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::python {

/// What an interpreter is asked to do.
struct PythonRequest {
  std::string_view function;   ///< `module function [names that are arguments]`, as in frame.h
  std::size_t largest_result;  ///< bytes of JSON
  const Json& arguments;
};

/// How it went, and what the interpreter is good for afterwards.
struct PythonCallEnd {
  enum class Interpreter {
    kGood,   ///< takes the next call
    kSpent,  ///< it, or what it left behind, must go
    kStale,  ///< files changed: NOTHING WAS RUN, ask another one
  };
  Interpreter interpreter = Interpreter::kGood;
  model::Execution execution{};
};

/// Runs one call on an interpreter that waits for one. Blocks until it ended; a
/// tool that is cancelled but continues is killed within 1.5 s. Thread: the caller's.
PythonCallEnd run_python_call(Interpreter& interpreter, const PythonRequest& request,
                              model::ToolContext& context, model::Progress& progress);

}  // namespace toolway::tools::executors::python
