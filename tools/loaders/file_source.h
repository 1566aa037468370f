#pragma once

#include <cstdint>
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
    std::uint64_t listed_in = 0;  ///< the last look that found it in its directory
    Stamps seen;                  ///< at the last look
    Stamps read;                  ///< of the version that was read last
    std::shared_ptr<const SpecPart> good;
    std::vector<Mistake> mistakes;
  };
  struct Unlistable {
    std::string why;
    bool told = false;
  };
  /// Index into paths_, and the file's path: a thousand of them are compared at each look, which
  /// std::filesystem would do name by name.
  using Key = std::pair<std::size_t, std::string>;

  void look_at_root(std::size_t root);
  void forget_gone(std::size_t root);
  void look_at(const std::string& path, Watched& file);
  void read(const std::string& path, Watched& file);
  SourceState state();

  const std::vector<std::filesystem::path> paths_;
  const ReadSpecs read_;
  const std::chrono::milliseconds interval_;
  std::string name_;
  std::map<Key, Watched> files_;                  // in order of precedence
  std::map<std::size_t, Unlistable> unlistable_;  // by root
  std::set<std::string> listed_;                  // in this look
  std::vector<Mistake> found_;                    // in this look
  std::uint64_t looks_ = 0;
  bool changed_ = false;
};

}  // namespace toolway::tools::loaders
