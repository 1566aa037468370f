#pragma once

#include <memory>

#include "gateway/connection_room.h"
#include "gateway/gateway.h"
#include "gateway/request_reader.h"
#include "gateway/request_room.h"
#include "gateway/trusted_peers.h"
#include "gateway/web_guard.h"

namespace toolway::gateway {

/// The address of `--http`; `localhost` is 127.0.0.1. Errors: kInvalidRequest.
Result<boost::asio::ip::address> listen_address(const std::string& host);

/// What decides whether a client may speak, and keeps account of what all of them take. One per gateway,
/// on the io_context's thread.
struct Edge {
  /// Errors: kInvalidRequest, naming the option.
  static Result<std::unique_ptr<Edge>> create(const GatewayOptions& options);

  TrustedPeers trusted;
  WebGuard web;
  RequestBounds bounds;
  UserRequests users;
  ConnectionRoom room;
};

}  // namespace toolway::gateway
