#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/bench/connections/caller.h"
#include "cli/bench/connections/wire.h"
#include "cli/process/host_port.h"

namespace toolway::cli::bench::connections {

/// The event streams of sessions, one connection each, in the caller's epoll
/// set: they are told when bytes are there. A stream that breaks is made again from its last event,
/// through the next gateway; while none answers, `heal` tries again.
class Followers {
 public:
  using OnEvent = std::function<void(const WireEvents::Event&)>;

  /// `epoll` gets each connection under the tag `tag_base` + its index.
  Followers(std::vector<process::HostPort> gateways, Caller caller, int epoll,
            std::uint64_t tag_base)
      : gateways_(std::move(gateways)),
        caller_(std::move(caller)),
        epoll_(epoll),
        tag_base_(tag_base) {}
  ~Followers();
  Followers(const Followers&) = delete;
  Followers& operator=(const Followers&) = delete;

  Result<void> connect(const std::vector<std::string>& sessions);
  /// Ends every connection; `connect_again` continues where each stream was.
  void disconnect();
  Result<void> connect_again();
  /// Ends every connection; `heal` makes them again.
  void drop();
  /// How many streams have got their headers.
  std::size_t open() const;
  std::size_t count() const { return streams_.size(); }
  /// Connects those that no gateway took when they broke.
  void heal();
  /// Reads what is there. Errors: the streams keep breaking.
  Result<void> read(std::size_t index, const OnEvent& handler);
  std::uint64_t reconnects() const { return reconnects_; }

 private:
  struct Stream {
    int fd = -1;
    std::string session;
    WireEvents events;
    std::size_t gateway = 0;  ///< index of the last one it was connected to
    bool connected_before = false;
  };
  Result<void> connect(std::size_t index);

  const std::vector<process::HostPort> gateways_;
  const Caller caller_;
  const int epoll_;
  const std::uint64_t tag_base_;
  std::vector<Stream> streams_;
  std::vector<std::size_t> broken_;
  std::string scratch_;
  std::uint64_t reconnects_ = 0;
};

}  // namespace toolway::cli::bench::connections
