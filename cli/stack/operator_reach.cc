#include "cli/stack/operator_reach.h"

#include <algorithm>

#include "cli/stack/run_files.h"
#include "cli/stack/stack.h"

namespace toolway::cli::stack {

std::vector<client::ClientOptions> operator_gateways(const client::ClientOptions& http,
                                                     const std::string& data) {
  const auto directory = data.empty() ? StackOptions().data : data;
  const auto own = gateways_of(directory);
  const auto with_token = [&](client::ClientOptions options) {
    if (options.reach.token_file.empty()) options.reach.token_file = operator_token_file(directory);
    return options;
  };
  std::vector<client::ClientOptions> gateways;
  if (!http.url.empty()) {
    const bool is_own = std::find(own.begin(), own.end(), http.url) != own.end();
    gateways.push_back(is_own ? with_token(http) : http);
    return gateways;
  }
  for (const auto& url : own) {
    auto options = with_token(http);
    options.url = url;
    gateways.push_back(std::move(options));
  }
  return gateways;
}

}  // namespace toolway::cli::stack
