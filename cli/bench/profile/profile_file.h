#pragma once

#include <string>
#include <vector>

#include "cli/bench/profile/kept_profile.h"

namespace toolway::cli::bench::profile {

/// The file that profiles are kept in, a line of JSON each. Without a name it holds nothing and
/// keeps nothing.
class ProfileFile {
 public:
  /// Reads what is there, and makes sure that more can be written, before a run. Makes the file and
  /// its directory. Errors: kInvalidRequest, with the path and what to do.
  static Result<ProfileFile> open(const std::string& path);

  const std::vector<KeptProfile>& profiles() const { return profiles_; }
  const std::string& path() const { return path_; }
  /// Writes one more line. Errors: kInvalidRequest.
  Result<void> append(const OrderedJson& profile) const;

 private:
  ProfileFile(std::string path, std::vector<KeptProfile> profiles)
      : path_(std::move(path)), profiles_(std::move(profiles)) {}

  std::string path_;
  std::vector<KeptProfile> profiles_;
};

}  // namespace toolway::cli::bench::profile
