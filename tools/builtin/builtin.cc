#include "tools/builtin/builtin.h"

#include "base/clock.h"
#include "base/try.h"
#include "tools/builtin/bench_tools.h"
#include "tools/builtin/filesystem_tools.h"
#include "tools/builtin/root_directory.h"
#include "tools/builtin/task_tools.h"
#include "tools/builtin/time_tools.h"
#include "tools/builtin/user_tools.h"

namespace toolway::tools::builtin {
Result<std::shared_ptr<const model::Registry>> builtin_registry(const BuiltinOptions& options) {
  ASSIGN_OR_RETURN(auto root, RootDirectory::open(options.root));
  const auto clock = std::make_shared<const SystemClock>();

  auto tools = bench_tools();
  for (auto& tool : time_tools(clock)) tools.push_back(std::move(tool));
  for (auto& tool : filesystem_tools(std::move(root), clock)) tools.push_back(std::move(tool));
  for (auto& tool : task_tools()) tools.push_back(std::move(tool));
  for (auto& tool : user_tools()) tools.push_back(std::move(tool));
  std::vector<model::RegisteredToolPtr> registered;
  for (auto& tool : tools) {
    ASSIGN_OR_RETURN(auto one, model::register_tool(std::move(tool)));
    registered.push_back(std::move(one));
  }
  return model::Registry::of(std::move(registered));
}

}  // namespace toolway::tools::builtin
