#include "tools/loaders/merge_offers.h"

#include <set>
#include <string_view>
#include <utility>

namespace toolway::tools::loaders {
namespace {

using Names = std::set<std::pair<std::string_view, std::string_view>>;

}  // namespace

specs::Offers merge_offers(std::span<const std::shared_ptr<const specs::Offers>> parts) {
  specs::Offers merged;
  Names prompts;
  Names resources;
  for (const auto& part : parts) {
    for (const auto& prompt : part->prompts)
      if (prompts.emplace(prompt->ns, prompt->name).second) merged.prompts.push_back(prompt);
    for (const auto& resource : part->resources)
      if (resources.emplace(resource->ns, resource->uri).second)
        merged.resources.push_back(resource);
  }
  return merged;
}

}  // namespace toolway::tools::loaders
