#include "gateway/auth/authority.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "gateway/auth/key_fetch.h"
#include "proto/subjects.h"

namespace toolway::gateway::auth {
namespace {

using extensions::auth::KeyRing;

/// Follows the bucket. The ring is shared with the mirror, whose last answer may come late.
std::unique_ptr<bus::BucketMirror> follow(bus::Bus& bus, std::shared_ptr<KeyRing> ring) {
  auto take = [ring = std::move(ring)](const auto& entries, bus::BucketMirror::Extent extent) {
    const bool all = extent == bus::BucketMirror::Extent::kAll;
    if (all) ring->begin_again();
    for (const auto& entry : entries) ring->take(entry.key, entry.value, entry.revision);
    if (!all) return;
    ring->end_again();
    ring->all_taken();
  };
  return std::make_unique<bus::BucketMirror>(
      bus, bus::BucketMirror::Bucket{proto::kApiKeysBucket, proto::kApiKeysStream},
      std::move(take));
}

}  // namespace

Authority::Authority(bus::Bus& bus, const Clock& clock, Methods methods,
                     std::unique_ptr<IssuerKeys> issuers)
    : clock_(clock),
      methods_(methods),
      keys_(std::make_shared<KeyRing>()),
      issuers_(std::move(issuers)),
      entries_(bus, std::string(proto::kApiKeysBucket)),
      mirror_(methods.keys ? follow(bus, keys_) : nullptr) {}

std::string Authority::in_words() const {
  if (!known()) return "API keys not read yet";
  const auto unknown = issuers_ ? issuers_->unknown() : 0;
  return unknown == 0 ? "ok" : fmt::format("the keys of {} issuers are not known yet", unknown);
}

void Authority::look() {
  if (mirror_) mirror_->look();
}

void Authority::note_use(const std::string& key_id) {
  const auto use = keys_->note_use(key_id, clock_.wall());
  // Another gateway may have been quicker.
  if (use) entries_.put(key_id, use->value, use->revision, [](const auto&) {});
}

Result<Methods> check_options(const AuthOptions& options, const std::string& host) {
  ASSIGN_OR_RETURN(const auto methods, methods_for(options.methods, host));
  if (methods.jwt && options.config_file.empty())
    return fail(ErrorCode::kInvalidRequest,
                "--auth jwt needs --auth-config FILE, which says which issuers are believed "
                "(docs/auth.md)");
  if (!methods.jwt && !options.config_file.empty())
    return fail(ErrorCode::kInvalidRequest,
                "--auth-config is about tokens of issuers, so it needs --auth jwt or keys,jwt");
  return methods;
}

Result<std::shared_ptr<Authority>> start_authority(bus::Bus& bus, const Clock& clock,
                                                   const AuthOptions& options,
                                                   const std::string& host) {
  ASSIGN_OR_RETURN(const auto methods, check_options(options, host));
  if (methods.none()) return std::shared_ptr<Authority>();
  std::unique_ptr<IssuerKeys> issuers;
  if (methods.jwt) {
    ASSIGN_OR_RETURN(auto config, extensions::auth::read_auth_config_file(options.config_file));
    ASSIGN_OR_RETURN(auto fetch, fetch_over_http());
    ASSIGN_OR_RETURN(issuers, IssuerKeys::start(std::move(config), std::move(fetch), clock));
  }
  return std::make_shared<Authority>(bus, clock, methods, std::move(issuers));
}

}  // namespace toolway::gateway::auth
