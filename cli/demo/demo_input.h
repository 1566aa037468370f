#pragma once

#include <string>

#include "base/result.h"

namespace toolway::cli::demo {

/// What the demo's tools read: a directory with a few texts and one large file,
/// whose digest is taken by sha256sum, not by us. Gone with it.
class DemoInput {
 public:
  static Result<DemoInput> make();
  DemoInput(DemoInput&& other) noexcept
      : root(std::move(other.root)), digest(std::move(other.digest)) {
    other.root.clear();
  }
  DemoInput& operator=(DemoInput&&) = delete;
  ~DemoInput();
  std::string root;
  std::string digest;  ///< sha256 of large.bin, hex
  /// A directory for what tools must not read, gone with this as well.
  std::string beside() const { return root + ".packs"; }

 private:
  DemoInput() = default;
};

}  // namespace toolway::cli::demo
