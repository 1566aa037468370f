#include "base/os/seal_key_file.h"

#include "base/os/file_io.h"
#include "base/os/private_file.h"
#include "base/try.h"

namespace toolway::os {

Result<SealKeys> read_seal_keys(const std::filesystem::path& path) {
  constexpr std::size_t kMaxBytes = 64 * 1024;
  ASSIGN_OR_RETURN(const auto text, read_private_file(path, kMaxBytes, Readers::kGroup));
  return SealKeys::parse(text);
}

Result<void> ensure_seal_keys(const std::filesystem::path& path) {
  if (stamp_of(path)) return {};
  return write_whole_file(path, SealKeys::new_line("first"));
}

}  // namespace toolway::os
