#include <fmt/format.h>

#include "chat/engine/tool_box.h"
#include "tools/exports/model_results.h"

namespace toolway::chat::engine {
namespace {

/// Of the calls of one message together, as JSON; a gateway's request may have 1 MiB.
constexpr std::size_t kMaxMessageBytes = 1'000'000;

template <typename J>
J entry_of(const tools::messages::Call& call) {
  return {{"id", call.id},
          {"type", "function"},
          {"function", {{"name", call.tool}, {"arguments", call.arguments}}}};
}

/// What is wrong with each call by itself, as `tool_calls` has it.
std::vector<tools::exports::ModelCall> checked(const std::vector<tools::messages::Call>& calls) {
  Json list = Json::array();
  for (const auto& call : calls) list.push_back(entry_of<Json>(call));
  auto read = tools::exports::parse_model_message(
      Json{{"role", "assistant"}, {"content", nullptr}, {"tool_calls", std::move(list)}},
      tools::exports::ModelApi::kOpenAi);
  return read ? std::move(*read) : std::vector<tools::exports::ModelCall>();
}

}  // namespace

CallsMessage calls_message(const std::vector<tools::messages::Call>& calls) {
  CallsMessage made;
  OrderedJson list = OrderedJson::array();
  const auto read = checked(calls);
  std::size_t bytes = 0;
  const auto refuse = [&](const std::string& id, const std::string& why) {
    made.refused.push_back(
        {.call_id = id, .text = tools::exports::model_error_text(why), .is_error = true});
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (i >= read.size() || read[i].id != calls[i].id) {
      refuse(calls[i].id, "the call cannot be read; make it again");
    } else if (read[i].wrong) {
      refuse(calls[i].id, read[i].wrong->message);
    } else {
      auto entry = entry_of<OrderedJson>(calls[i]);
      bytes += to_text(entry).size();
      if (bytes <= kMaxMessageBytes) {
        list.push_back(std::move(entry));
      } else {
        refuse(calls[i].id, fmt::format("the calls of one message may have {} bytes together; make "
                                        "this call again, alone",
                                        kMaxMessageBytes));
      }
    }
  }
  if (!list.empty())
    made.message = {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", std::move(list)}};
  return made;
}

}  // namespace toolway::chat::engine
