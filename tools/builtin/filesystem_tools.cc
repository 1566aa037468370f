#include "tools/builtin/filesystem_tools.h"

namespace toolway::tools::builtin {

std::vector<std::shared_ptr<const model::Tool>> filesystem_tools(
    Root root, std::shared_ptr<const Clock> clock) {
  return {make_list_directory(root), make_read_file(root), make_find_in_files(root),
          make_hash_file(root, std::move(clock))};
}

}  // namespace toolway::tools::builtin
