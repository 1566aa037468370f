#pragma once

#include <memory>
#include <string>

#include "cli/stack/stack.h"

namespace toolway::cli::stack {

/// A stack in a temporary directory, for `demo` and `bench`; both are gone with it.
class OwnStack {
 public:
  static Result<std::unique_ptr<OwnStack>> start(StackOptions options,
                                                 process::StopSignals& signals);
  ~OwnStack();
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;
  Stack& stack() { return *stack_; }
  /// Ends everything at once, for a way out that runs no destructors. Thread-safe against the use
  /// of `stack()`.
  void abandon();

 private:
  void remove_data(const std::string& postgres) const;

  OwnStack(std::string directory, process::StopSignals& signals)
      : directory_(std::move(directory)), signals_(signals) {}
  std::string directory_;
  process::StopSignals& signals_;
  std::unique_ptr<Stack> stack_;
};

}  // namespace toolway::cli::stack
