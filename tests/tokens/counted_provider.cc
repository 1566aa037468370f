#include "tests/tokens/counted_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "chat/engine/summary.h"

namespace toolway::tokens {
namespace {

using chat::providers::ModelRequest;
using chat::providers::ProviderError;
using tools::exports::ModelApi;
using tools::messages::Message;
using tools::messages::Part;
using tools::messages::Role;

std::unique_ptr<chat::providers::Dialect> dialect_of(ModelApi api) {
  switch (api) {
    case ModelApi::kOpenAi: return chat::providers::make_openai_dialect();
    case ModelApi::kOpenAiResponses: return chat::providers::make_responses_dialect();
    case ModelApi::kAnthropic: break;
  }
  return chat::providers::make_anthropic_dialect();
}

bool asks_for_summary(const ModelRequest& request) {
  return request.messages.front()->text == chat::engine::summary_instructions().text;
}

}  // namespace

CountedProvider::CountedProvider(const Plan& plan, Random& random)
    : plan_(plan),
      random_(random),
      dialect_(dialect_of(plan.api)),
      id_(tools::messages::format_of(plan.api) == tools::exports::Format::kAnthropic ? "anthropic"
                                                                                     : "openai") {}

void CountedProvider::begin_turn(unsigned turn) {
  turn_ = turn;
  calls_left_ = plan_.tool_bytes == 0 ? 0 : static_cast<unsigned>(random_.below(5));
}

chat::providers::ReplyResult CountedProvider::ask(const ModelRequest& request,
                                                  const chat::providers::OnText&, std::stop_token) {
  const bool summary = asks_for_summary(request);
  const auto input = count(request, summary);
  if (summary) return text_message(Role::kAssistant, text(3000));
  if (random_.per_mille(10)) return chat::providers::fail_with(ProviderError::Kind::kTooLong, "");
  auto made = reply();
  // Not every server tells.
  if (random_.per_mille(30)) return made;
  made.usage = {.input = input, .output = 1};
  ++counted_;
  return made;
}

std::uint64_t CountedProvider::count(const ModelRequest& request, bool summary) {
  const OrderedJson asked = {{"history", plan_.seed},
                             {"texts", texts_name(plan_.texts)},
                             {"api", dialect_->path()},
                             {"window", plan_.config.context_window},
                             {"reply", request.options.max_tokens},
                             {"summary", summary},
                             {"counted", counted_},
                             {"estimate", request.tokens},
                             {"sure", request.sure},
                             {"body", dialect_->body(request, id_, {})}};
  std::cout << to_text(asked) << std::endl;
  std::string line;
  if (!std::getline(std::cin, line)) {
    std::cerr << "the tokenizer ended\n";
    std::exit(1);
  }
  return std::stoull(line);
}

Message CountedProvider::reply() {
  Message made{.role = Role::kAssistant};
  if (plan_.thinks) made.parts.push_back(thought());
  if (calls_left_ == 0 || random_.per_mille(300)) made.parts.push_back(said());
  if (calls_left_ > 0) {
    --calls_left_;
    made.finish = tools::messages::Finish::kCalls;
    for (auto calls = 1 + random_.below(4); calls > 0; --calls) made.parts.push_back(call());
  }
  return made;
}

/// Responses has an item of its own for each part, with an id.
Part CountedProvider::said() {
  Part part{.text = text(std::min<std::size_t>(plan_.size(random_), 6000))};
  if (plan_.api != ModelApi::kOpenAiResponses) return part;
  const OrderedJson content = {{"type", "output_text"},
                               {"annotations", OrderedJson::array()},
                               {"logprobs", OrderedJson::array()},
                               {"text", part.text}};
  part.native =
      tools::messages::Native{id_,
                              {{"id", "msg_" + text_of({Kind::kIdentifiers}, 36, random_)},
                               {"type", "message"},
                               {"status", "completed"},
                               {"role", "assistant"},
                               {"content", OrderedJson::array({content})}}};
  return part;
}

Part CountedProvider::call() {
  OrderedJson arguments = {{"path", text(random_.below(200))}};
  if (random_.per_mille(200))
    arguments["rows"] = json_of(plan_.voice(turn_, random_), 300, random_);
  auto written = to_text(arguments);
  if (random_.per_mille(50)) written.resize(written.size() / 2);
  Part part{.kind = Part::Kind::kCall,
            .call = {.id = "",
                     .tool = fmt::format("filesystem__list_directory_{}", random_.below(5)),
                     .arguments = std::move(written)}};
  if (plan_.api == ModelApi::kOpenAiResponses)
    part.native = tools::messages::Native{
        id_, {{"id", "fc_" + text_of({Kind::kIdentifiers}, 36, random_)}, {"status", "completed"}}};
  return part;
}

Part CountedProvider::thought() {
  const auto secret = text_of({Kind::kBase64}, 200, random_);
  OrderedJson value;
  switch (plan_.api) {
    case ModelApi::kOpenAi: value = {{"reasoning_content", text(300)}}; break;
    case ModelApi::kOpenAiResponses:
      value = {{"type", "reasoning"},
               {"id", "rs_1"},
               {"summary", OrderedJson::array()},
               {"encrypted_content", secret}};
      break;
    case ModelApi::kAnthropic:
      value = {{"type", "thinking"}, {"thinking", text(300)}, {"signature", secret}};
  }
  return {.kind = Part::Kind::kOpaque, .native = tools::messages::Native{id_, std::move(value)}};
}

std::string CountedProvider::text(std::size_t bytes) {
  return text_of(plan_.voice(turn_, random_), bytes, random_);
}

}  // namespace toolway::tokens
