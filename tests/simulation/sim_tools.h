#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/model/registry.h"

namespace toolway::simulation {

/// What a tool of the simulation is like.
struct ToolTraits {
  std::string name;
  bool idempotent = false;
  bool multi_step = false;
  unsigned max_attempts = 1;
  bool listed_codes = false;  ///< the policy names the code that it retries
  std::chrono::milliseconds retry_delay{1000};
  std::chrono::milliseconds run_limit{60'000};
  bool ignores_stop = false;
  bool requires_approval = false;
  bool asks = false;  ///< two questions, one after the other, when it has run
  bool asks_restart = false;
};
inline constexpr std::array<const char*, 2> kAskedKeys{"first", "second"};
/// The tool whose calls are turns: no client draws it.
inline constexpr const char* kTurn = "turn";
const std::vector<ToolTraits>& tool_traits();
const ToolTraits& traits_of(const std::string& tool);

/// How the tools of one schedule differ from what they promise: whether workers know them
/// for what they are.
enum class KnownAs {
  kWhatTheyAre,
  kIdempotent,
  kFree,  ///< no tool requires approval
};
/// The registry of all tools, made once per process: schemas take long to compile.
std::shared_ptr<const tools::model::Registry> sim_registry(KnownAs known_as);

/// Told when a tool of the running schedule begins: call, attempt, process.
using ToolBegan =
    std::function<void(const std::string& call_id, unsigned attempt, const std::string& process)>;
void on_tool_began(ToolBegan told);

/// Told what a tool of the running schedule was answered: call, key, answer.
using ToolAnswered = std::function<void(const std::string& call_id, const std::string& key,
                                        const std::string& answer)>;
void on_tool_answered(ToolAnswered told);

}  // namespace toolway::simulation
