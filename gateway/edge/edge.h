#pragma once

#include <memory>

#include "gateway/edge/connection_room.h"
#include "gateway/edge/edge_options.h"
#include "gateway/edge/operator_guard.h"
#include "gateway/edge/trusted_peers.h"
#include "gateway/edge/web_guard.h"
#include "gateway/wire/request_reader.h"
#include "gateway/wire/user_places.h"

namespace toolway::gateway::edge {

/// The address of `--http`; `localhost` is 127.0.0.1. Errors: kInvalidRequest.
Result<boost::asio::ip::address> listen_address(const std::string& host);

/// Decides whether a client may speak, and keeps account of what all of them take. One per gateway,
/// on the io_context's thread.
struct Edge {
  /// `host` is the one of `--http`. Errors: kInvalidRequest, naming the option.
  static Result<std::unique_ptr<Edge>> create(const std::string& host,
                                              const wire::RequestBounds& bounds,
                                              std::size_t max_connections,
                                              const EdgeOptions& options);

  TrustedPeers trusted;
  WebGuard web;
  OperatorGuard operators;
  std::string public_url;  ///< empty: what a request says in Host
  wire::RequestBounds bounds;
  wire::UserPlaces users;
  ConnectionRoom room;
};

}  // namespace toolway::gateway::edge
