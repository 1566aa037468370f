#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"

namespace toolway::cli::bench::measures {

/// A file with the specs of tools of namespace `many`, which is there as long as this.
class ManyTools {
 public:
  /// Errors: kInternal (it cannot be written).
  static Result<std::unique_ptr<ManyTools>> create(unsigned count);
  ManyTools(const ManyTools&) = delete;
  ManyTools& operator=(const ManyTools&) = delete;
  ~ManyTools();
  std::string file() const { return (directory_ / "many.yaml").string(); }

 private:
  explicit ManyTools(std::filesystem::path directory) : directory_(std::move(directory)) {}
  const std::filesystem::path directory_;
};

}  // namespace toolway::cli::bench::measures
