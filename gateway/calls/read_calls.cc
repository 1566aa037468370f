#include "gateway/calls/read_calls.h"

#include <algorithm>

namespace toolway::gateway::calls {
namespace {

/// About 64 KiB.
constexpr std::ptrdiff_t kMaxKeptValues = 500;

}  // namespace

bool are_heavy_values(std::string_view text) {
  // The arguments of a large body are checked on another thread, which reads their text.
  if (text.size() > loop::WorkPool::kSmall) return true;
  // One of these comes before each value but the first, or before its key.
  const auto begins_one = [](char c) { return c == ',' || c == '[' || c == '{'; };
  return std::count_if(text.begin(), text.end(), begins_one) > kMaxKeptValues;
}

void forget_values(CallBody& call) { call.arguments = Json(); }

void forget_values(std::vector<wire::HttpResult<CallBody>>& calls) {
  for (auto& call : calls) {
    if (call) forget_values(*call);
  }
}

void forget_values(std::vector<tools::exports::ModelCall>& calls) {
  for (auto& call : calls) call.arguments = Json();
}

}  // namespace toolway::gateway::calls
