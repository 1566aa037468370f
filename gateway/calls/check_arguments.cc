#include "gateway/calls/check_arguments.h"

#include "base/try.h"
#include "tools/schema/secret_places.h"

namespace toolway::gateway::calls {
namespace {

/// About 3 ms at most (tools/schema/schema_work.h).
constexpr std::uint64_t kStepsHere = 30'000;
constexpr std::size_t kBytesHere = 8 * 1024;

CheckedArguments checked(const tools::model::RegisteredTool& tool, const Json& arguments,
                         std::vector<tools::schema::Violation> violations) {
  CheckedArguments made{.violations = std::move(violations), .secret_places = {}};
  if (!tool.secret_arguments) return made;
  made.secret_places = tools::schema::secret_places(tool.spec().input_schema, arguments);
  tools::schema::hide(made.violations, made.secret_places);
  return made;
}

}  // namespace

loop::Task<wire::HttpResult<CheckedArguments>> check_arguments(loop::WorkPool& threads,
                                                               tools::model::RegisteredToolPtr tool,
                                                               const CallBody& body) {
  if (body.arguments_text.size() <= kBytesHere) {
    Json again;
    if (body.arguments.is_null()) {
      CO_ASSIGN_OR_RETURN(again, parse_json(body.arguments_text));
    }
    const Json& arguments = body.arguments.is_null() ? again : body.arguments;
    auto found = tool->input->validate_within(arguments, kStepsHere);
    if (found) co_return checked(*tool, arguments, std::move(*found));
  }
  auto work = [tool, text = body.arguments_text]() -> Result<CheckedArguments> {
    ASSIGN_OR_RETURN(const auto arguments, parse_json(text));
    return checked(*tool, arguments, tool->input->validate(arguments));
  };
  CO_ASSIGN_OR_RETURN(auto found, co_await threads.run<CheckedArguments>(std::move(work)));
  co_return std::move(found);
}

}  // namespace toolway::gateway::calls
