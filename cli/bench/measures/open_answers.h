#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/process/host_port.h"

namespace toolway::cli::bench::measures {

/// Open sockets, each with a request whose answer does not end. They close with this.
class OpenAnswers {
 public:
  OpenAnswers() = default;
  OpenAnswers(const OpenAnswers&) = delete;
  OpenAnswers& operator=(const OpenAnswers&) = delete;
  ~OpenAnswers();

  /// Errors: kBusUnavailable.
  Result<void> open(const process::HostPort& where, const std::string& request);
  /// Waits until each has begun. Errors: kTimeout after 30 s, kInvalidRequest (another status than
  /// 200).
  Result<void> begun() const;

 private:
  std::vector<int> fds_;
};

}  // namespace toolway::cli::bench::measures
