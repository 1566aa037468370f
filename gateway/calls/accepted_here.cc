#include "gateway/calls/accepted_here.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <string_view>

namespace toolway::gateway::calls {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

AcceptedHere::AcceptedHere(std::size_t most) : most_(most), chains_(std::bit_ceil(most), kNone) {}

AcceptedHere::Id AcceptedHere::id_of(const CallId& call) {
  Id id{};
  std::copy_n(call.text().begin(), id.size(), id.begin());
  return id;
}

std::size_t AcceptedHere::chain_of(const Id& id) const {
  return std::hash<std::string_view>()({id.data(), id.size()}) % chains_.size();
}

const AcceptedHere::Link& AcceptedHere::link_to(const Id& id) const {
  const Link* link = &chains_[chain_of(id)];
  while (*link != kNone && calls_[*link].id != id) link = &calls_[*link].next;
  return *link;
}

void AcceptedHere::note(const CallId& call, std::uint64_t sequence) {
  const Id id = id_of(call);
  if (const Link known = link_to(id); known != kNone) {
    calls_[known].sequence = sequence;
    return;
  }
  std::size_t place = calls_.size();
  if (place < most_) {
    calls_.emplace_back();
  } else {
    place = std::exchange(oldest_, (oldest_ + 1) % most_);
    link_to(calls_[place].id) = calls_[place].next;
  }
  Link& first = chains_[chain_of(id)];
  calls_[place] = {
      .id = id, .next = std::exchange(first, static_cast<Link>(place)), .sequence = sequence};
}

std::optional<std::uint64_t> AcceptedHere::find(const CallId& call) const {
  const Link found = link_to(id_of(call));
  return found == kNone ? std::nullopt : std::optional(calls_[found].sequence);
}

}  // namespace toolway::gateway::calls
