#include "gateway/edge/connection_room.h"

#include "gateway/edge/trusted_peers.h"

namespace toolway::gateway::edge {

std::uint64_t address_key(const boost::asio::ip::address& address) {
  const auto plain = plain_address(address);
  // ffff::/16 are not addresses of hosts.
  if (plain.is_v4()) return 0xffff'0000'0000'0000ULL | plain.to_v4().to_uint();
  const auto bytes = plain.to_v6().to_bytes();
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) key = key << 8 | bytes[i];
  return key;
}

std::size_t ConnectionRoom::open_of(std::uint64_t address) const {
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? 0 : found->second;
}

ConnectionRoom::Admission ConnectionRoom::judge(std::uint64_t address, Kind kind) const {
  const bool capped = caps_.per_address != 0 && kind == Kind::kOwn;
  if (capped && open_of(address) >= caps_.per_address) return Admission::kAddressFull;
  return open_ >= caps_.most ? Admission::kFull : Admission::kRoom;
}

void ConnectionRoom::enter(std::uint64_t address) {
  ++open_;
  ++by_address_[address];
}

void ConnectionRoom::leave(std::uint64_t address) {
  --open_;
  const auto found = by_address_.find(address);
  if (--found->second == 0) by_address_.erase(found);
}

}  // namespace toolway::gateway::edge
