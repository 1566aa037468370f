// A model's own message, and how its results are shown.
#include <cstdint>
#include <set>
#include <string_view>

#include "base/ids.h"
#include "gateway/calls/tool_calls.h"
#include "tools/exports/api_names.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace toolway;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  static const toolway::tools::exports::ApiNames names(
      {"default.sum", "files.read", "archive.read", "default.a__b", "a_.b"});
  const auto body = toolway::gateway::wire::parse_any_body(input);
  for (const auto api : {toolway::tools::exports::ModelApi::kOpenAi,
                         toolway::tools::exports::ModelApi::kOpenAiResponses,
                         toolway::tools::exports::ModelApi::kAnthropic}) {
    if (!body) break;
    auto calls = toolway::gateway::calls::parse_tool_calls(*body, api, 4096);
    if (!calls) {
      if (!toolway::parse_json(toolway::gateway::wire::problem_json(calls.error(), "r")))
        __builtin_trap();
      continue;
    }
    std::set<std::string> ids;
    std::vector<toolway::gateway::calls::AnsweredCall> answered;
    for (const auto& call : *calls) {
      if (!toolway::valid_opaque(call.id) || !ids.insert(call.id).second) __builtin_trap();
      if (!call.wrong) {
        // What is passed on must be what is checked.
        const auto again = toolway::parse_json(call.arguments_text);
        if (!again || *again != call.arguments || !again->is_object()) __builtin_trap();
      }
      (void)names.resolve(call.tool);
      v1::CallEvent completion;
      completion.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
      completion.mutable_completed()->set_result(call.arguments_text);
      answered.push_back(
          {.tool_call_id = call.id, .tool = call.tool, .completion = std::move(completion)});
    }
    const auto answer =
        toolway::parse_json(toolway::gateway::calls::tool_calls_json(api, answered, "r"));
    if (!answer || (*answer)["calls"].size() != calls->size()) __builtin_trap();
  }
  // Indenting changes white space only.
  if (const auto json = toolway::parse_json(input)) {
    const auto again = toolway::parse_json(toolway::tools::exports::pretty_json(input));
    if (!again || *again != *json) __builtin_trap();
  }
  return 0;
}
