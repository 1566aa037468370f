#pragma once

#include <string>
#include <vector>

#include "tests/chaos/final_state.h"
#include "tests/chaos/mcp_history.h"
#include "tests/chaos/verdicts.h"

/// Judges what MCP clients saw. Pure, as checker.h is.
namespace toolway::chaos {

/// What they saw of one session.
struct McpSeen {
  std::vector<const RpcStretch*> stretches;
  std::vector<const TaskLook*> looks;  ///< in the storm
  std::vector<TaskLook> at_the_end;    ///< `tasks/list` whole, and some asked for by id
};
void check_mcp_session(const SessionEnd& end, const McpSeen& seen, Verdicts& verdicts);

/// The parts of the above. Streams have what their request asked for, in the order of the call's
/// log, each once, and nothing after the answer.
void check_streams(const SessionEnd& end, const std::vector<const RpcStretch*>& stretches,
                   Verdicts& verdicts);
/// A call's end reads the same in every face.
void check_faces(const SessionEnd& end, const McpSeen& seen, Verdicts& verdicts);
/// A task that was shown is found, and what was said of it stays true.
void check_tasks(const SessionEnd& end, const McpSeen& seen, Verdicts& verdicts);

/// All questions: by the calls' logs in their order, as tools were told, and as clients were asked
/// and answered.
struct QuestionsSeen {
  const std::vector<Question>& log;
  const std::vector<Told>& told;
  const std::vector<Given>& given;
  const std::vector<RpcStretch>& stretches;
  const std::vector<TaskLook>& looks;
};
void check_questions(const QuestionsSeen& seen, Verdicts& verdicts);

}  // namespace toolway::chaos
