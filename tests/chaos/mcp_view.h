#pragma once

#include <string>
#include <vector>

#include "tests/chaos/agent.h"
#include "tests/chaos/final_state.h"

namespace toolway::chaos {

/// What a gateway says of a session's calls over MCP when all is quiet: the list of its tasks, and
/// the end of every `one_of`th, from number `first` on, by id and in both eras.
struct Sampled {
  std::size_t first = 0;
  std::size_t one_of = 1;
};
std::vector<TaskLook> mcp_view_of(const Place& place, const Watched& session,
                                  const std::vector<CallRow>& calls, Sampled sampled,
                                  History& history);

/// Answers what the calls still ask, through random gateways.
void answer_the_rest(const std::vector<CallRow>& waiting, const Entrance& entrance,
                     Randomness& random, History& history);

/// What the tools that ask have written down, in order; a last line cut by a kill is left out.
std::vector<Told> read_told(const std::string& file);

}  // namespace toolway::chaos
