#include "chat/providers/dialect.h"

#include <utility>

namespace toolway::chat::providers {

tools::messages::Blocks sent_blocks(const ModelRequest& request, const LeftOut& left_out) {
  return left_out.contains(kBlocks) ? tools::messages::Blocks::kAsText : request.blocks;
}

void add_members(OrderedJson& body, OrderedJson more) {
  for (auto& [name, value] : more.items()) body[name] = std::move(value);
}

tools::http::HttpHeaders bearer_headers(const std::string& key) {
  if (key.empty()) return {};
  return {{"Authorization", "Bearer " + key, tools::http::HttpHeader::Holds::kSecret}};
}

std::unique_ptr<Dialect> make_dialect(std::string_view name) {
  const auto api = tools::exports::parse_model_api(name);
  if (!api) return nullptr;
  switch (*api) {
    case tools::exports::ModelApi::kOpenAi: return make_openai_dialect();
    case tools::exports::ModelApi::kOpenAiResponses: return make_responses_dialect();
    case tools::exports::ModelApi::kAnthropic: return make_anthropic_dialect();
  }
  return nullptr;
}

}  // namespace toolway::chat::providers
