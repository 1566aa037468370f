#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include "extensions/grants.h"
#include "gateway/loop/work_pool.h"
#include "gateway/mcp/seen_offers.h"
#include "tools/specs/live_offers.h"

namespace toolway::gateway::mcp {

/// What sessions see of the prompts and resources in force, made once per version of them and set
/// of namespaces: what has the same id has not changed. On the io_context's thread.
class OffersView {
 public:
  /// Both must outlive it.
  OffersView(const tools::specs::LiveOffers& live, loop::WorkPool& work)
      : live_(live), work_(work), now_(live.now()) {}

  /// Null grants: everything.
  SeenOffersPtr of(std::span<const std::string> namespaces, const extensions::GrantsPtr& grants);

 private:
  const tools::specs::LiveOffers& live_;
  loop::WorkPool& work_;
  SeenOffers::OffersPtr now_;
  std::unordered_map<std::string, SeenOffersPtr> seen_;
  std::uint64_t made_ = 0;
};

}  // namespace toolway::gateway::mcp
