#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "extensions/grants.h"
#include "tools/specs/offers.h"

namespace toolway::gateway::mcp {

/// The prompts and resources of files that some sessions see: those of their namespaces, and within
/// the limits of their credentials. Immutable, pure.
class SeenOffers {
 public:
  using OffersPtr = std::shared_ptr<const tools::specs::Offers>;
  /// `id`: of no other one. Null grants: everything.
  SeenOffers(std::uint64_t id, OffersPtr offers, std::span<const std::string> namespaces,
             const extensions::GrantsPtr& grants);

  std::uint64_t id() const { return id_; }
  std::span<const tools::specs::Prompt* const> prompts() const { return prompts_; }
  std::span<const tools::specs::Resource* const> resources() const { return resources_; }
  std::span<const tools::specs::Resource* const> templates() const { return templates_; }
  /// Other ones after a change of what clients see of prompts.
  std::uint64_t prompts_digest() const { return prompts_digest_; }
  /// Likewise of the lists of resources and templates, whatever they hold.
  std::uint64_t resources_digest() const { return resources_digest_; }
  /// What the lists of all of it take as text, estimated.
  std::size_t list_bytes() const { return list_bytes_; }

  /// Null: there is none.
  const tools::specs::Prompt* prompt(std::string_view name) const;
  /// The resource of that URI, else the first template that has it, with its variables.
  struct Found {
    const tools::specs::Resource* resource = nullptr;  ///< null: there is none
    Json variables{};
  };
  Found resource(std::string_view uri) const;
  /// A digest of what reading it gives; 0: there is no such resource.
  std::uint64_t content_of(std::string_view uri) const;

 private:
  const std::uint64_t id_;
  const OffersPtr all_;  ///< which has what the others point to
  std::vector<const tools::specs::Prompt*> prompts_;
  std::vector<const tools::specs::Resource*> resources_;
  std::vector<const tools::specs::Resource*> templates_;
  std::unordered_map<std::string_view, const tools::specs::Resource*> by_uri_;
  std::uint64_t prompts_digest_ = 0;
  std::uint64_t resources_digest_ = 0;
  std::size_t list_bytes_ = 0;
};

using SeenOffersPtr = std::shared_ptr<const SeenOffers>;

}  // namespace toolway::gateway::mcp
