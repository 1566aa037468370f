#include "gateway/mcp/seen_offers.h"

#include <algorithm>
#include <utility>

namespace toolway::gateway::mcp {
namespace {

using tools::specs::Prompt;
using tools::specs::Resource;

/// Of the members of an entry of a list, besides what they hold.
constexpr std::size_t kEntryBytes = 128;

/// Adds one more digest to those before it; the order counts.
void mix(std::uint64_t& all, std::uint64_t one) {
  constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a, 64 bits
  all = (all ^ one) * kPrime + 1;
}

bool sees(std::span<const std::string> namespaces, const extensions::GrantsPtr& grants,
          const std::string& ns) {
  const bool open = std::ranges::find(namespaces, ns) != namespaces.end() ||
                    std::ranges::find(namespaces, std::string("*")) != namespaces.end();
  return open && (!grants || grants->within_limits(ns));
}

}  // namespace

SeenOffers::SeenOffers(std::uint64_t id, OffersPtr offers, std::span<const std::string> namespaces,
                       const extensions::GrantsPtr& grants)
    : id_(id), all_(std::move(offers)) {
  for (const auto& prompt : all_->prompts) {
    if (!sees(namespaces, grants, prompt->ns)) continue;
    prompts_.push_back(prompt.get());
    mix(prompts_digest_, prompt->digest);
    list_bytes_ += kEntryBytes * (1 + prompt->arguments.size()) + prompt->name.size() +
                   prompt->title.size() + prompt->description.size();
  }
  for (const auto& resource : all_->resources) {
    if (!sees(namespaces, grants, resource->ns)) continue;
    (resource->is_template ? templates_ : resources_).push_back(resource.get());
    if (!resource->is_template) by_uri_.emplace(resource->uri, resource.get());
    mix(resources_digest_, resource->listed);
    list_bytes_ += kEntryBytes + resource->uri.size() + resource->name.size() +
                   resource->title.size() + resource->description.size();
  }
}

const Prompt* SeenOffers::prompt(std::string_view name) const {
  const auto found = std::ranges::find(prompts_, name, &Prompt::name);
  return found == prompts_.end() ? nullptr : *found;
}

SeenOffers::Found SeenOffers::resource(std::string_view uri) const {
  if (const auto found = by_uri_.find(uri); found != by_uri_.end()) return {found->second, {}};
  for (const auto* one : templates_) {
    auto variables = tools::specs::match_uri(one->uri, uri);
    if (!variables.is_null()) return {one, std::move(variables)};
  }
  return {};
}

std::uint64_t SeenOffers::content_of(std::string_view uri) const {
  const auto* found = resource(uri).resource;
  return found == nullptr ? 0 : found->content;
}

}  // namespace toolway::gateway::mcp
