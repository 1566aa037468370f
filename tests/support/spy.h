#pragma once

#include <filesystem>
#include <string>

#include "tests/paths.h"
#include "tests/support/temp_dir.h"

namespace toolway::test {

/// A directory in `dir` with a copy of spy.py that every user can read: where the worker is root,
/// commands run as another user, who may not see where this tree is.
inline std::string spies_in(const TempDir& dir) {
  namespace fs = std::filesystem;
  const fs::path spies = dir / "spies";
  fs::create_directory(spies);
  fs::copy_file(TOOLWAY_SOURCE_DIR "/tests/support/spy.py", spies / "spy.py");
  const auto readable = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                        fs::perms::others_read | fs::perms::others_exec;
  for (const auto& path : {fs::path(dir.path()), spies, spies / "spy.py"})
    fs::permissions(path, readable);
  return spies;
}

}  // namespace toolway::test
