#include "tools/builtin/file_walk.h"

#include <fcntl.h>

#include <utility>

#include "tools/builtin/directory_entries.h"

namespace toolway::tools::builtin {
namespace {

class Walk {
 public:
  Walk(const std::function<bool(const std::string&)>& wanted, const std::stop_token& cancelled)
      : wanted_(wanted), cancelled_(cancelled) {}

  void enter(const Descriptor& directory, const std::string& prefix, int depth) {
    const auto entries = directory_entries(directory);
    if (!entries) {
      list.complete = false;
      return;
    }
    for (const auto& entry : *entries) {
      if (cancelled_.stop_requested()) return;
      const std::string path = prefix + entry.name;
      if (entry.type == EntryType::file && wanted_(path)) {
        if (list.paths.size() == kMaxFiles) {
          list.complete = false;
          return;
        }
        list.paths.push_back(path);
      } else if (entry.type == EntryType::directory) {
        const Descriptor below(::openat(directory.get(), entry.name.c_str(),
                                        O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (below && depth < kMaxDepth) {
          enter(below, path + "/", depth + 1);
        } else {
          list.complete = false;
        }
      }
    }
  }

  FileList list;

 private:
  const std::function<bool(const std::string&)>& wanted_;
  const std::stop_token& cancelled_;
};

}  // namespace

Result<FileList> files_below(const RootDirectory& root, const std::string& path,
                             const std::function<bool(const std::string&)>& wanted,
                             const std::stop_token& cancelled) {
  auto directory = root.open_directory(path);
  if (!directory) {
    // Perhaps it is one file; if it is neither, the first error says more.
    if (root.open_file(path)) return FileList{.paths = {path}};
    return fail(directory.error());
  }
  std::string prefix = path;
  while (!prefix.empty() && prefix.back() == '/') prefix.pop_back();
  prefix = prefix == "." ? "" : prefix + "/";
  Walk walk(wanted, cancelled);
  walk.enter(*directory, prefix, 0);
  return std::move(walk.list);
}

}  // namespace toolway::tools::builtin
