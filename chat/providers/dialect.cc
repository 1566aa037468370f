#include "chat/providers/dialect.h"

namespace toolway::chat::providers {

history::Blocks sent_blocks(const ModelRequest& request, const LeftOut& left_out) {
  return left_out.contains(kBlocks) ? history::Blocks::kAsText : request.blocks;
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
