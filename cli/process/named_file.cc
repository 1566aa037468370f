#include "cli/process/named_file.h"

#include "base/os/file_io.h"

namespace toolway::cli::process {

Result<std::string> read_named_file(const std::filesystem::path& path) {
  auto text = os::read_file(path);
  if (!text) text.error().code = ErrorCode::kInvalidRequest;
  return text;
}

}  // namespace toolway::cli::process
