#include "cli/process/server_urls.h"

namespace toolway::cli::process {

std::string without_password(std::string urls) {
  for (auto at = urls.find('@'); at != std::string::npos; at = urls.find('@')) {
    const auto scheme = urls.rfind("://", at);
    const auto from = scheme == std::string::npos ? 0 : scheme + 3;
    urls.erase(from, at + 1 - from);
  }
  return urls;
}

}  // namespace toolway::cli::process
