#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/process/host_port.h"

namespace toolway::cli::bench::measures {

/// Requests of one user to a gateway, over REST and over both eras of the Model Context Protocol,
/// as bytes.
class McpRequests {
 public:
  McpRequests(process::HostPort where, std::string user)
      : where_(std::move(where)), user_(std::move(user)) {}

  const process::HostPort& where() const { return where_; }
  std::string post(const std::string& path, const OrderedJson& body,
                   const std::string& headers = "") const;
  std::string get(const std::string& path, const std::string& headers = "") const;

  /// A message up to 2025-11-25. `headers`: as of `handshake`.
  std::string older(const std::string& path, const std::string& headers, const std::string& method,
                    OrderedJson params) const;
  /// One of 2026-07-28, of a client that takes tasks. `name`: of what it is about; empty: nothing.
  std::string newer(const std::string& path, const std::string& method, OrderedJson params,
                    const std::string& name) const;
  std::string initialize(const std::string& path, const std::string& revision) const;
  /// Sends `count` requests, one after the other: what each answer has in its text field `field`,
  /// an id. Errors: as Exchange's, kInvalidRequest for an answer without it.
  Result<std::vector<std::string>> ids_of(std::size_t count,
                                          const std::function<std::string(std::size_t)>& request,
                                          std::string_view field) const;
  /// Begins a session there of a client that can be asked. The headers of its later requests.
  /// Errors: as Exchange's, kInvalidRequest.
  Result<std::string> handshake(const std::string& path, const std::string& revision) const;

 private:
  const process::HostPort where_;
  const std::string user_;
};

}  // namespace toolway::cli::bench::measures
