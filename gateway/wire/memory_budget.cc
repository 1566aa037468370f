#include "gateway/wire/memory_budget.h"

namespace toolway::gateway::wire {

std::size_t MemoryBudget::left(MemoryUse use) const {
  std::size_t most = most_;
  if (use == MemoryUse::kFollower) most = most_ / 2;
  if (use == MemoryUse::kAnswer) most = most_ / 4 * 3;
  return most > held_ ? most - held_ : 0;
}

HttpResult<MemoryBudget::Share> MemoryBudget::take(MemoryUse use, std::size_t bytes) {
  Share share(*this, use);
  if (!share.try_resize(bytes)) return refuse(memory_problem());
  return share;
}

Problem memory_problem() {
  return Problem{
      .error = Error{
          ErrorCode::kOverloaded,
          "this gateway already holds as much memory for its clients as --memory-budget allows"}};
}

}  // namespace toolway::gateway::wire
