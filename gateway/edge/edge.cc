#include "gateway/edge/edge.h"

#include <fmt/format.h>

#include "base/try.h"
#include "gateway/edge/public_url.h"

namespace toolway::gateway::edge {

Result<boost::asio::ip::address> listen_address(const std::string& host) {
  boost::system::error_code error;
  auto address = boost::asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (error)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("cannot listen on {}: {}", host, error.message()));
  return address;
}

Result<std::unique_ptr<Edge>> Edge::create(const std::string& host,
                                           const wire::RequestBounds& bounds,
                                           std::size_t max_connections,
                                           const EdgeOptions& options) {
  ASSIGN_OR_RETURN(const auto address, listen_address(host));
  ASSIGN_OR_RETURN(auto trusted, TrustedPeers::parse(options.trust_user_header));
  ASSIGN_OR_RETURN(auto web, WebGuard::create({.bind_host = host,
                                               .loopback = plain_address(address).is_loopback(),
                                               .allow_hosts = options.allow_hosts,
                                               .allow_origins = options.allow_origins}));
  ASSIGN_OR_RETURN(auto public_url, checked_public_url(options.public_url));
  ASSIGN_OR_RETURN(auto operators, OperatorGuard::create(options.operator_token_file));
  return std::unique_ptr<Edge>(
      new Edge{.trusted = std::move(trusted),
               .web = std::move(web),
               .operators = std::move(operators),
               .public_url = std::move(public_url),
               .bounds = bounds,
               .users = wire::UserPlaces({.per_user = options.requests_per_user}),
               .room = ConnectionRoom(
                   {.most = max_connections, .per_address = options.connections_per_address})});
}

}  // namespace toolway::gateway::edge
