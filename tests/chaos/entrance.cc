#include "tests/chaos/entrance.h"

namespace toolway::chaos {

Result<std::unique_ptr<cli::client::HttpClient>> Entrance::client(
    const std::string& gateway, const std::string& user, std::chrono::milliseconds timeout,
    std::shared_ptr<tools::http::HttpEngine> engine) const {
  cli::client::ClientOptions options{.url = gateway, .timeout = timeout};
  options.engine = std::move(engine);
  if (const auto key = keys.find(user); key != keys.end())
    options.reach.token = key->second;
  else
    options.user = user;
  return cli::client::HttpClient::create(std::move(options));
}

}  // namespace toolway::chaos
