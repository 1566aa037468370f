#pragma once

#include <string>

namespace toolway::cli::process {

/// What the environment says about proxies. Their URLs may hold a password.
struct ProxyVariables {
  std::string http{};   ///< http_proxy: for http:// URLs
  std::string https{};  ///< https_proxy
  std::string all{};    ///< all_proxy: for both, where the others are empty
  std::string none{};   ///< no_proxy: hosts with commas
};

}  // namespace toolway::cli::process
