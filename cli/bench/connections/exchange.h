#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/result.h"
#include "cli/bench/connections/caller.h"
#include "cli/bench/connections/wire.h"
#include "cli/process/host_port.h"

namespace toolway::cli::bench::connections {

/// One connection that asks and waits for the answer: the time it takes is the gateway's.
class Exchange {
 public:
  static Result<Exchange> create(const process::HostPort& where);
  Exchange(Exchange&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), in_(std::move(other.in_)) {}
  Exchange& operator=(Exchange&&) = delete;
  ~Exchange();

  /// The answer, valid until the next one is asked for. Errors: kBusUnavailable, kTimeout after 30
  /// s.
  Result<WireAnswer> ask(const std::string& request);

 private:
  explicit Exchange(int fd) : fd_(fd) {}
  int fd_;
  std::string in_;
  std::size_t taken_ = 0;
};

/// An HTTP request as bytes.
struct WireRequest {
  std::string_view method;
  std::string path;
  std::string body{};
  std::string headers{};  ///< more of them, each with its line end
};
/// Header lines that every request has, and its user's not.
std::string json_head(const process::HostPort& where);
std::string bytes_of(const WireRequest& request, const process::HostPort& where,
                     const Caller& caller, std::size_t number = 0);

/// Sends `count` requests over a few connections at once, and waits for every answer.
/// Errors: as Exchange::ask, and kInvalidRequest for an answer that is not 2xx.
Result<void> ask_all(const process::HostPort& where, std::size_t count,
                     const std::function<std::string(std::size_t)>& request);

}  // namespace toolway::cli::bench::connections
