#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "gateway/calls/call_request.h"
#include "gateway/loop/work_pool.h"
#include "gateway/wire/problem.h"
#include "tools/exports/model_message.h"
#include "tools/model/registry.h"

namespace toolway::gateway::calls {

/// Checks a call's arguments against its tool's schema: on this thread when that takes a few
/// milliseconds at most, otherwise on the threads for large documents. Errors: overloaded.
loop::Task<wire::HttpResult<std::vector<tools::schema::Violation>>> check_arguments(
    loop::WorkPool& threads, tools::model::RegisteredToolPtr tool, const CallBody& body);

/// Keeps the arguments' text only.
void forget_values(CallBody& call);
void forget_values(std::vector<wire::HttpResult<CallBody>>& calls);
void forget_values(std::vector<tools::exports::ModelCall>& calls);

/// The body of a request with calls, read by `parse`: on the other threads when it is large.
/// The result for a large one has the arguments as text only: parsed, their values may take
/// twenty times as much memory. Errors: `parse`'s, overloaded.
template <typename Calls, typename Parse>
loop::Task<wire::HttpResult<Calls>> read_calls(loop::WorkPool& threads, std::string_view body,
                                               Parse parse) {
  if (body.size() <= loop::WorkPool::kSmall) co_return parse(body);
  auto work = [text = std::string(body), parse]() -> Result<wire::HttpResult<Calls>> {
    auto calls = parse(std::string_view(text));
    if (calls) forget_values(*calls);
    return calls;
  };
  CO_ASSIGN_OR_RETURN(auto read, co_await threads.run<wire::HttpResult<Calls>>(std::move(work)));
  co_return std::move(read);
}

}  // namespace toolway::gateway::calls
