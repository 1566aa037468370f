#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/model/tool.h"

namespace toolway::tools::model {

/// What a kind has found on a machine.
struct KindState {
  std::string text{};
  bool complete = true;  ///< false: something is missing that its tools may ask for
};

/// Makes tools of one kind from their specs. Owns what they share while they run
/// (processes, a sandbox); its tools hold on to that. Thread-safe.
class ToolKind {
 public:
  virtual ~ToolKind() = default;
  virtual Kind kind() const = 0;
  /// A tool that runs `spec`. Quick; starts nothing. `execute` of what it returns
  /// is called with checked arguments only. Errors: kInvalidSpec; a kind that
  /// cannot run here makes a tool whose every execution says so.
  virtual Result<std::shared_ptr<const Tool>> make(Spec spec) = 0;
  /// What the kind has found out about this machine, for the worker's log; no text: nothing.
  virtual KindState state() const { return {}; }
  /// Clears away what is no longer in use; returns what it did, for the log. Called by
  /// the worker every ten minutes.
  virtual std::string tidy() { return {}; }
};

/// The kinds of tools that a process runs, native ones aside.
using ToolKinds = std::vector<std::shared_ptr<ToolKind>>;

/// The tool of a spec by its kind. Errors: kInvalidSpec when no kind of `kinds` runs it.
Result<std::shared_ptr<const Tool>> make_tool(const ToolKinds& kinds, Spec spec);

/// A tool that this process offers and others run; executing it is an error.
std::shared_ptr<const Tool> declared_tool(Spec spec);

}  // namespace toolway::tools::model
