#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/demo/tour.h"
#include "cli/stack/stack.h"
#include "local/child_process.h"

namespace toolway::cli::demo {

/// What is prepared for the packs before the demo's stack starts, and ends after it.
struct DemoStage {
  stack::StackOptions& stack;
  std::string packs;      ///< directory of the packs
  std::string directory;  ///< of the demo's own, for files
  std::vector<std::unique_ptr<local::ChildProcess>> servers{};

  /// Starts `packs/<name>/server.py` on a port of its own; its URL. Errors: kNotFound, kTimeout
  /// with the end of its log.
  Result<std::string> serve(const std::string& name);
  /// Gives the stack's tools a secret. Errors: kInternal.
  Result<void> secret(const std::string& name, const std::string& value);
};

/// A pack, or another group of tools, as the demo shows it.
struct DemoPack {
  std::string ns;  ///< its tools' namespace
  Result<void> (*prepare)(DemoStage& stage);
  void (*show)(Tour& tour);
  /// A tool that appears by itself some time after the stack is ready, to be waited for; empty:
  /// none.
  std::string found_later{};
};

/// Those that are shown, in their order: a line for each file of this folder that has one.
std::vector<DemoPack> demo_packs();

DemoPack web_search_in_demo();
DemoPack ethereum_in_demo();
DemoPack filesystem_in_demo();
DemoPack mocks_in_demo();

}  // namespace toolway::cli::demo
