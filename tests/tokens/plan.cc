#include "tests/tokens/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace toolway::tokens {
namespace {

using tools::exports::ModelApi;

Voice any_voice(Random& random) {
  const auto kind = static_cast<Kind>(random.below(tokens::kKinds));
  return {kind, random.below(1000)};
}

/// Large windows take long to fill, so they are rare.
std::uint64_t any_window(Random& random) {
  static constexpr std::array<std::uint64_t, 20> kWindows{
      2000, 2000, 2500, 3000,  4000,  4000,  4096,  5000,  6000,  8000,
      8000, 8192, 8192, 10000, 12000, 16000, 16384, 32000, 32768, 50000};
  if (random.per_mille(960)) return kWindows[random.below(kWindows.size())];
  return random.per_mille(500) ? 128'000 : 200'000;
}

OrderedJson parameters(const Voice& voice, std::size_t bytes, Random& random) {
  OrderedJson properties = OrderedJson::object();
  OrderedJson required = OrderedJson::array();
  while (to_text(properties).size() < bytes) {
    const auto name =
        fmt::format("{}_{}", random.per_mille(500) ? "path" : "maxResults", properties.size());
    auto& property = properties[name];
    property["type"] = random.per_mille(700) ? "string" : "integer";
    property["description"] = text_of(voice, 10 + random.below(120), random);
    if (random.per_mille(200)) property["enum"] = {"ascending", "descending", "none"};
    if (random.per_mille(100))
      property = {{"type", "array"},
                  {"items", {{"type", "object"}, {"properties", {{"id", {{"type", "string"}}}}}}}};
    if (random.per_mille(400)) required.push_back(name);
  }
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

OrderedJson definition(ModelApi api, const std::string& name, const std::string& description,
                       OrderedJson parameters) {
  switch (api) {
    case ModelApi::kOpenAi:
      return {
          {"type", "function"},
          {"function",
           {{"name", name}, {"description", description}, {"parameters", std::move(parameters)}}}};
    case ModelApi::kOpenAiResponses:
      return {{"type", "function"},
              {"name", name},
              {"description", description},
              {"parameters", std::move(parameters)}};
    case ModelApi::kAnthropic: break;
  }
  return {{"name", name}, {"description", description}, {"input_schema", std::move(parameters)}};
}

}  // namespace

std::string_view texts_name(Texts texts) {
  switch (texts) {
    case Texts::kAlike: return "alike";
    case Texts::kMixed: return "mixed";
    case Texts::kChange: return "change";
    case Texts::kAny: return "any";
  }
  return "";
}

Plan::Plan(std::uint64_t with_seed) : seed(with_seed) {
  Random random(seed);
  api = static_cast<ModelApi>(random.below(3));
  texts = static_cast<Texts>(random.below(4));
  for (int i = 0; i < 3; ++i) voices.push_back(any_voice(random));
  auto& options = config.options;
  options.model = "model";
  config.context_window = any_window(random);
  options.max_tokens = static_cast<unsigned>(50 + random.below(config.context_window / 3));
  static constexpr std::array kChoices{"auto", "auto", "none", "required"};
  options.tool_choice = kChoices[random.below(kChoices.size())];
  config.enable_summarization = random.per_mille(500);
  if (random.per_mille(200)) config.max_history = 2 + random.below(40);
  const auto main = voices.front();
  if (random.per_mille(600))
    config.system_prompt = text_of(main, random.below(config.context_window / 8), random);
  if (random.per_mille(500))
    config.continuation_prompt = text_of(main, 1 + random.below(config.context_window / 8), random);
  usual_bytes = config.context_window / (1ULL << (3 + random.below(5)));
  tool_bytes = random.per_mille(300) ? 0 : random.below(config.context_window / 2);
  turns = static_cast<unsigned>(random.per_mille(500) ? 1 + random.below(6) : 6 + random.below(20));
  thinks = random.per_mille(300);
  if (random.per_mille(200)) new_engine = 1 + static_cast<unsigned>(random.below(turns));
}

Voice Plan::voice(unsigned turn, Random& random) const {
  switch (texts) {
    case Texts::kAlike: return voices[0];
    case Texts::kMixed: return voices[random.below(voices.size())];
    case Texts::kChange: return voices[turn * 2 < turns ? 0 : 1];
    case Texts::kAny: break;
  }
  return any_voice(random);
}

std::size_t Plan::size(Random& random) const {
  const auto usual = 1 + random.below(usual_bytes);
  return std::min<std::size_t>(random.per_mille(50) ? 8 * usual : usual, 400'000);
}

OrderedJson tool_definitions(const Plan& plan, Random& random) {
  OrderedJson list = OrderedJson::array();
  const bool english = random.per_mille(700);
  for (std::size_t bytes = 0; bytes < plan.tool_bytes;) {
    const auto voice = english ? Voice() : plan.voices[0];
    auto schema = parameters(voice, random.below(random.per_mille(100) ? 4000 : 500), random);
    list.push_back(definition(plan.api, fmt::format("filesystem__list_directory_{}", list.size()),
                              text_of(voice, random.below(300), random), std::move(schema)));
    bytes += to_text(list.back()).size();
  }
  return list;
}

}  // namespace toolway::tokens
