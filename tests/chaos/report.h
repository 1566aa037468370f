#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/chaos/final_state.h"
#include "tests/chaos/fleet.h"
#include "tests/chaos/nemesis.h"
#include "tests/chaos/options.h"
#include "tests/chaos/verdicts.h"

namespace toolway::chaos {

/// What became of conversations, in figures.
struct TalkFigures {
  std::map<std::string, std::uint64_t> turns;  ///< by outcome and code
  std::uint64_t by_themselves = 0;             ///< of them, those that completions began
  std::uint64_t conversations = 0;
  std::uint64_t messages = 0;
  std::uint64_t told = 0;      ///< ends of calls
  std::uint64_t requests = 0;  ///< to the model
};
TalkFigures figures_of(const std::vector<TurnEnd>& turns,
                       const std::vector<ConversationEnd>& conversations);

/// The summary of a run.
struct Summary {
  const Options& options;
  const Verdicts& verdicts;
  const Deeds& deeds;
  const std::vector<UnexpectedEnd>& ends;
  std::map<std::string, std::uint64_t> fates;     ///< of requests for calls
  std::map<std::string, std::uint64_t> refusals;  ///< by code
  std::map<std::string, std::uint64_t> faces;     ///< of accepted ones
  std::map<std::string, std::uint64_t> rpcs;      ///< requests about calls over MCP, by method
  std::map<std::string, std::uint64_t> answers;   ///< to questions, by what was said to them
  std::map<std::string, std::uint64_t> outcomes;  ///< of recorded calls
  std::map<std::string, std::uint64_t> odd;
  std::vector<std::int64_t> recovery_us;         ///< sorted
  std::vector<std::int64_t> turn_recovery_us{};  ///< of turns of killed chat processes; sorted
  TalkFigures talk{};
  double storm_seconds = 0;
  double quiet_seconds = 0;
  std::uint64_t events = 0;
  unsigned server_restarts = 0;
  Deepest deepest;
  std::string directory;
};

/// Counts what clients asked for.
void count_requests(const Recorded& seen, Summary& summary);

/// The verdict table and what belongs to it, in Markdown.
std::string report_text(const Summary& summary);

/// The properties that did not hold, with examples and the shortest history of one each.
std::string violations_text(const Verdicts& verdicts, const Options& options);

/// Every line of the history that a violation is about, in order of time, at most `most`.
std::string excerpt(const std::string& history_file, const Violation& violation, std::size_t most);

}  // namespace toolway::chaos
