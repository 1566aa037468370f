#include "tools/builtin/builtin.h"

#include <algorithm>

#include "base/clock.h"
#include "base/try.h"
#include "tools/builtin/bench_tools.h"
#include "tools/builtin/filesystem_tools.h"
#include "tools/builtin/root_directory.h"
#include "tools/builtin/time_tools.h"
#include "tools/builtin/user_tools.h"
#include "tools/loaders/spec_files.h"
#include "tools/native/native_tool.h"
#include "tools/specs/reader.h"

namespace toolway::tools::builtin {
namespace {

using Tools = std::vector<std::shared_ptr<const model::Tool>>;

/// Those of `tools` that the file leaves on, as it adjusts them.
Result<Tools> adjusted_by(const std::filesystem::path& file, Tools tools) {
  ASSIGN_OR_RETURN(const auto text, loaders::read_spec_file(file));
  std::vector<model::Spec> natives;
  for (const auto& tool : tools) natives.push_back(tool->spec());
  auto document = specs::read_specs(text, file.string(), {.natives = natives});
  auto& [specs, mistakes, overlay] = document;
  if (overlay) mistakes.push_back({file.string(), "an overlay is not allowed here", 1});
  for (const auto& read : specs) {
    if (read.spec.kind != model::Kind::kNative)
      mistakes.push_back({file.string(), "only native tools can be adjusted here", read.line});
    if (read.rollout > 0)
      mistakes.push_back({file.string(), "a candidate is not allowed here", read.line});
  }
  if (!mistakes.empty()) {
    std::string message;
    for (const auto& mistake : mistakes) message += (message.empty() ? "" : "\n") + mistake.text();
    return fail(ErrorCode::kInvalidSpec, std::move(message));
  }
  for (auto& read : specs) {
    const auto tool = std::find_if(tools.begin(), tools.end(), [&](const auto& one) {
      return one->spec().qualified_name() == read.spec.qualified_name();
    });
    if (read.enabled) {
      *tool = native::with_spec(*tool, std::move(read.spec));
    } else {
      tools.erase(tool);
    }
  }
  return tools;
}

}  // namespace

Result<std::shared_ptr<const model::Registry>> builtin_registry(const BuiltinOptions& options) {
  ASSIGN_OR_RETURN(auto root, RootDirectory::open(options.root));
  const auto clock = std::make_shared<const SystemClock>();

  Tools tools = bench_tools();
  for (auto& tool : time_tools(clock)) tools.push_back(std::move(tool));
  for (auto& tool : filesystem_tools(std::move(root), clock)) tools.push_back(std::move(tool));
  for (auto& tool : user_tools()) tools.push_back(std::move(tool));
  if (options.specs) {
    ASSIGN_OR_RETURN(tools, adjusted_by(*options.specs, std::move(tools)));
  }
  std::vector<model::RegisteredToolPtr> registered;
  for (auto& tool : tools) {
    ASSIGN_OR_RETURN(auto one, model::register_tool(std::move(tool)));
    registered.push_back(std::move(one));
  }
  return model::Registry::of(std::move(registered));
}

}  // namespace toolway::tools::builtin
