#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "gateway/wire/http_types.h"
#include "mcp/revision.h"
#include "monitoring/metrics.h"

namespace toolway::gateway::mcp {

/// What is measured of the messages of MCP clients. Its labels have values from closed sets,
/// whatever clients send. On the io_context's thread.
class RpcMetrics {
 public:
  explicit RpcMetrics(monitoring::Metrics& metrics) : metrics_(metrics) {}

  void took(std::string_view method, toolway::mcp::Revision revision,
            std::chrono::nanoseconds time);
  /// `client`: what it calls itself. The names after the first `kClients` are one.
  void asked(std::string_view client, toolway::mcp::Revision revision);
  /// `revision`: nothing: it was not known yet.
  void failed(std::int64_t code, std::optional<toolway::mcp::Revision> revision);

  static constexpr std::size_t kClients = 50;

 private:
  static constexpr std::size_t kMethods = 24;
  static constexpr std::size_t kCodes = 9;
  static constexpr std::size_t kRevisions = toolway::mcp::kRevisions.size() + 1;

  using OfClient = std::array<monitoring::Counter*, kRevisions>;

  monitoring::Metrics& metrics_;
  // Made at first use.
  std::map<std::string, OfClient, std::less<>> clients_;
  std::array<std::array<monitoring::Histogram*, kRevisions>, kMethods> times_{};
  std::array<std::array<monitoring::Counter*, kRevisions>, kCodes> errors_{};
};

/// Measures one message, from when it is made until its answer is there.
class RpcMeasured {
 public:
  RpcMeasured(RpcMetrics& metrics, const Clock& clock, std::string method)
      : metrics_(metrics), clock_(clock), method_(std::move(method)), begun_(clock.monotonic()) {}
  /// A stream's answer is there at its end, which it then waits for.
  void answered(toolway::mcp::Revision revision, wire::Response& response);

 private:
  RpcMetrics& metrics_;
  const Clock& clock_;
  const std::string method_;
  const MonotonicTime begun_;
};

/// The code of an answer that is an error, of a text that `encode` wrote; nothing: it is none.
/// Pure.
std::optional<std::int64_t> error_code_in(std::string_view answer);

/// A method's label: itself, or `other`.
std::string_view method_label(std::string_view method);
/// The label of what a client calls itself: `unnamed`, or `other` where it is longer than 64
/// characters or has others than letters, digits, spaces and `._-/@`.
std::string client_label(std::string_view name);
/// A code's label: itself, or `other`.
std::string_view code_label(std::int64_t code);

}  // namespace toolway::gateway::mcp
