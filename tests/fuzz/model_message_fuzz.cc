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
  static const tools::ApiNames names(
      {"default.sum", "files.read", "archive.read", "default.a__b", "a_.b"});
  for (const auto api :
       {tools::ModelApi::kOpenAi, tools::ModelApi::kOpenAiResponses, tools::ModelApi::kAnthropic}) {
    auto calls = gateway::parse_tool_calls(input, api, 4096);
    if (!calls) {
      if (!parse_json(gateway::problem_json(calls.error(), "r"))) __builtin_trap();
      continue;
    }
    std::set<std::string> ids;
    std::vector<gateway::AnsweredCall> answered;
    for (const auto& call : *calls) {
      if (!valid_opaque(call.id) || !ids.insert(call.id).second) __builtin_trap();
      if (!call.wrong) {
        // What is passed on must be what is checked.
        const auto again = parse_json(call.arguments_text);
        if (!again || *again != call.arguments || !again->is_object()) __builtin_trap();
      }
      (void)names.resolve(call.tool);
      v1::CallEvent completion;
      completion.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
      completion.mutable_completed()->set_result(call.arguments_text);
      answered.push_back(
          {.tool_call_id = call.id, .tool = call.tool, .completion = std::move(completion)});
    }
    const auto answer = parse_json(gateway::tool_calls_json(api, answered, "r"));
    if (!answer || (*answer)["calls"].size() != calls->size()) __builtin_trap();
  }
  // Indenting changes white space only.
  if (const auto json = parse_json(input)) {
    const auto again = parse_json(tools::pretty_json(input));
    if (!again || *again != *json) __builtin_trap();
  }
  return 0;
}
