#include "gateway/calls/check_arguments.h"

#include "base/try.h"

namespace toolway::gateway::calls {
namespace {

using Violations = std::vector<tools::schema::Violation>;

/// About 3 ms at most (tools/schema/schema_work.h).
constexpr std::uint64_t kStepsHere = 30'000;
constexpr std::size_t kBytesHere = 8 * 1024;

}  // namespace

loop::Task<wire::HttpResult<Violations>> check_arguments(loop::WorkPool& threads,
                                                         tools::model::RegisteredToolPtr tool,
                                                         const CallBody& body) {
  if (body.arguments_text.size() <= kBytesHere) {
    Json again;
    if (body.arguments.is_null()) {
      CO_ASSIGN_OR_RETURN(again, parse_json(body.arguments_text));
    }
    auto found =
        tool->input->validate_within(body.arguments.is_null() ? again : body.arguments, kStepsHere);
    if (found) co_return std::move(*found);
  }
  auto work = [tool, text = body.arguments_text]() -> Result<Violations> {
    ASSIGN_OR_RETURN(const auto arguments, parse_json(text));
    return tool->input->validate(arguments);
  };
  CO_ASSIGN_OR_RETURN(auto found, co_await threads.run<Violations>(std::move(work)));
  co_return std::move(found);
}

}  // namespace toolway::gateway::calls
