#include "cli/bench/profile/profile_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/try.h"
#include "cli/process/named_file.h"

namespace toolway::cli::bench::profile {
namespace {

tl::unexpected<Error> cannot(const char* what, const std::string& path, const std::string& why) {
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("cannot {} {}: {}; name another file with --store", what, path, why));
}

}  // namespace

Result<ProfileFile> ProfileFile::open(const std::string& path) {
  if (path.empty()) return ProfileFile(path, {});
  std::error_code error;
  const auto directory = std::filesystem::path(path).parent_path();
  if (!directory.empty()) std::filesystem::create_directories(directory, error);
  if (error) return cannot("create", directory.string(), error.message());
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    return cannot("use", path, "it is not a regular file");
  if (!std::ofstream(path, std::ios::app)) return cannot("write", path, std::strerror(errno));
  ASSIGN_OR_RETURN(const auto text, process::read_named_file(path));
  ASSIGN_OR_RETURN(auto profiles, read_profiles(text, path));
  return ProfileFile(path, std::move(profiles));
}

Result<void> ProfileFile::append(const OrderedJson& profile) const {
  if (path_.empty()) return {};
  std::ofstream file(path_, std::ios::app);
  if (file << profile.dump() + "\n" << std::flush) return {};
  return cannot("write", path_, std::strerror(errno));
}

}  // namespace toolway::cli::bench::profile
