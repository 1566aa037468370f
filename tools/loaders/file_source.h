#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/loaders/spec_files.h"
#include "tools/loaders/spec_source.h"

namespace toolway::tools::loaders {

/// Spec files, and directories of them (see `list_spec_files`); each file is a
/// part, with the files that its resources name. A file that changed is read when two looks have
/// found it, and what it names, the same: so
/// one that is being written, or replaced, is not read half-written. A file that
/// was in a directory and is gone takes its specs along; a path that was named
/// and is not there is a mistake.
class FileSource final : public SpecSource {
 public:
  FileSource(std::vector<std::filesystem::path> paths, ReadSpecs read,
             std::chrono::milliseconds interval = std::chrono::milliseconds(250));

  SourceKind kind() const override { return SourceKind::kFile; }
  const std::string& name() const override { return name_; }
  std::optional<SourceState> look(std::stop_token stop) override;
  std::chrono::milliseconds pause() const override { return interval_; }

 private:
  /// Of a spec file, and of the files that it names.
  struct Stamps {
    FileStamp spec;
    std::vector<specs::NamedFile> named;
    bool operator==(const Stamps&) const = default;
  };
  struct Watched {
    std::size_t root = 0;  ///< index into paths_
    Stamps seen;           ///< at the last look
    Stamps read;           ///< of the version that was read last
    std::shared_ptr<const SpecPart> good;
    std::vector<Mistake> mistakes;
  };
  struct Unlistable {
    std::string why;
    bool told = false;
  };
  using Key = std::pair<std::size_t, std::filesystem::path>;

  void look_at_root(std::size_t root);
  void look_at(const Key& key);
  static Stamps look_at(const std::filesystem::path& path, const Watched& file);
  void read(const Key& key, Watched& file);
  SourceState state();

  const std::vector<std::filesystem::path> paths_;
  const ReadSpecs read_;
  const std::chrono::milliseconds interval_;
  std::string name_;
  std::map<Key, Watched> files_;                  // in order of precedence
  std::map<std::size_t, Unlistable> unlistable_;  // by root
  std::set<std::filesystem::path> listed_;        // in this look
  std::vector<Mistake> found_;                    // in this look
  bool first_ = true;
  bool changed_ = false;
};

}  // namespace toolway::tools::loaders
