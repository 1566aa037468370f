#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "tools/builtin/root_directory.h"
#include "tools/model/tool.h"

/// Namespace `filesystem`: reading what is below one root directory.
namespace toolway::tools::builtin {

using Root = std::shared_ptr<const RootDirectory>;

std::shared_ptr<const model::Tool> make_list_directory(Root root);
std::shared_ptr<const model::Tool> make_read_file(Root root);
std::shared_ptr<const model::Tool> make_find_in_files(Root root);
std::shared_ptr<const model::Tool> make_hash_file(Root root, std::shared_ptr<const Clock> clock);

std::vector<std::shared_ptr<const model::Tool>> filesystem_tools(
    Root root, std::shared_ptr<const Clock> clock);

}  // namespace toolway::tools::builtin
