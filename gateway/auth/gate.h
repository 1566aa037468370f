#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "extensions/auth/attempts.h"
#include "extensions/auth/token_cache.h"
#include "gateway/auth/authority.h"
#include "gateway/auth/identity.h"
#include "gateway/edge/edge.h"
#include "gateway/loop/work_pool.h"
#include "gateway/wire/http_types.h"
#include "gateway/wire/route.h"
#include "monitoring/metrics.h"

namespace toolway::gateway::auth {

/// Establishes who requests come from. One per loop, on its thread; signatures are checked on a
/// thread of its own, and each token once. What it is given must outlive it.
class Gate {
 public:
  /// Tokens that a loop remembers; about 600 bytes each.
  static constexpr std::size_t kTokens = 20'000;
  /// How long a token waits for others from its address.
  static constexpr std::chrono::seconds kTurnTimeout{5};

  /// `authority` null: callers are not asked who they are.
  Gate(std::shared_ptr<Authority> authority, edge::OperatorGuard& operators,
       std::shared_ptr<loop::IoPost> io_post, monitoring::Metrics& metrics, const Clock& clock);

  /// The caller of a request for `route`. Errors: unauthenticated with a challenge (RFC 6750 §3),
  /// rate_limited, overloaded; where callers are not asked, as wire::resolve_caller and
  /// edge::OperatorGuard.
  loop::Task<wire::HttpResult<Identity>> identify(const wire::Request& request, wire::Route route);

  /// Whether the credential of `identity` still counts.
  bool holds(const Identity& identity) const;
  /// The issuers whose tokens are believed; null: none are.
  IssuerKeys::Issuers issuers() const {
    return authority_ && authority_->methods().jwt ? authority_->issuers().issuers() : nullptr;
  }
  /// Whether callers are asked who they are.
  bool asks() const { return authority_ != nullptr; }
  /// Whether it can be told who calls, and what is not known yet, in words; empty: callers are not
  /// asked.
  bool known() const { return !authority_ || authority_->known(); }
  std::string in_words() const { return authority_ ? authority_->in_words() : std::string(); }

 private:
  enum class Method { kNone, kKey, kJwt, kOperator };
  static constexpr std::size_t kMethods = 4;
  static constexpr std::size_t kResults = 7;
  struct NewToken {
    std::string text;
    std::string digest;
  };
  using Found = tl::expected<Identity, extensions::auth::Refusal>;

  wire::HttpResult<Identity> unasked(const wire::Request& request, wire::Route route);
  /// Nothing: `token` came for the first time, and its signature must be checked.
  std::optional<Found> check_at_once(const wire::Request& request, Method& method, NewToken& token);
  Found check_key(std::string_view key);
  std::optional<Found> check_token(std::string_view token, const std::string& digest,
                                   Method& method);
  loop::Task<Found> check_new(NewToken token, std::uint64_t address);
  loop::Task<Found> check_signature(std::string token);
  loop::Task<bool> await_turn(std::uint64_t address, extensions::auth::Refusal& refusal);
  loop::Task<Result<extensions::auth::TokenCheck>> check_apart(std::string token);
  void count(Method method, const Found& found);
  wire::Problem problem_of(const extensions::auth::Refusal& refusal) const;

  const std::shared_ptr<Authority> authority_;
  edge::OperatorGuard& operators_;
  const std::shared_ptr<loop::IoPost> io_post_;
  monitoring::Metrics& metrics_;
  const Clock& clock_;
  loop::WorkPool signatures_;
  extensions::auth::TokenCache tokens_{kTokens};
  extensions::auth::Attempts attempts_;
  std::uint64_t issuer_changes_ = 0;
  /// Made at first use.
  std::array<std::array<monitoring::Counter*, kResults>, kMethods> counters_{};
};

}  // namespace toolway::gateway::auth
