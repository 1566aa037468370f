#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace toolway::gateway::edge {

/// One number for an address: an IPv4 address, or the /64 of an IPv6 one, which is one subscriber.
std::uint64_t address_key(const boost::asio::ip::address& address);

/// How many connections there are, in total and by address. Pure bookkeeping, on one thread.
class ConnectionRoom {
 public:
  struct Caps {
    std::size_t most = 0;
    std::size_t per_address = 0;  ///< 0: only the total limits them
  };
  explicit ConnectionRoom(Caps caps) : caps_(caps) {}

  /// Those of an address that is `kShared` belong to many clients: a proxy's, or the machine's own.
  enum class Kind { kOwn, kShared };
  enum class Admission { kRoom, kAddressFull, kFull };
  Admission judge(std::uint64_t address, Kind kind) const;
  void enter(std::uint64_t address);
  void leave(std::uint64_t address);
  std::size_t open() const { return open_; }
  std::size_t open_of(std::uint64_t address) const;

 private:
  const Caps caps_;
  std::size_t open_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> by_address_;
};

}  // namespace toolway::gateway::edge
