#include "gateway/auth/gate.h"

#include <fmt/format.h>

#include <utility>

#include "base/sha256.h"
#include "base/try.h"
#include "extensions/auth/api_key.h"
#include "gateway/auth/authorize.h"
#include "gateway/loop/asio_types.h"
#include "monitoring/metric_names.h"

namespace toolway::gateway::auth {
namespace {

using extensions::auth::Attempts;
using extensions::auth::Refusal;
using extensions::auth::Refused;
using extensions::auth::TokenCheck;

constexpr std::string_view kRealm = "Bearer realm=\"toolway\"";
constexpr unsigned kCheckThreads = 1;

std::string_view word_of(Refused why) {
  switch (why) {
    case Refused::kMissing: return "missing";
    case Refused::kInvalid: return "invalid";
    case Refused::kExpired: return "expired";
    case Refused::kRevoked: return "revoked";
    case Refused::kLimited: return "limited";
    case Refused::kUnavailable: return "unavailable";
  }
  return "invalid";
}

Identity operator_identity() {
  return {.caller = {.user_id = "operator", .method = std::string(extensions::kByOperator)}};
}

std::string ways_of(const Methods& methods) {
  if (!methods.jwt) return "an API key (toolway keys create makes one)";
  return methods.keys ? "an API key or a JSON Web Token" : "a JSON Web Token";
}

/// Whether an API key comes beside another credential. Clients of Anthropic's API may send the key
/// of theirs, which says nothing here.
bool has_two_credentials(const wire::Request& request) {
  return request.authorization && request.api_key &&
         extensions::auth::api_key_id(*request.api_key) &&
         edge::bearer_token_of(*request.authorization) != request.api_key;
}

/// A credential says who calls. Of another one, or another name, next to it, one of two readers
/// would believe each.
wire::HttpResult<Identity> without_contradiction(const wire::Request& request, Identity identity) {
  if (has_two_credentials(request))
    return wire::refuse(wire::Problem{
        .error = Error{ErrorCode::kInvalidRequest,
                       "X-Api-Key has another credential than Authorization: send one of them"},
        .status = 400});
  if (!request.user || *request.user == identity.caller.user_id ||
      identity.caller.method == extensions::kByOperator)
    return identity;
  return wire::refuse(wire::Problem{
      .error = Error{ErrorCode::kInvalidRequest,
                     "X-Toolway-User names another user than the credential: leave it out; here "
                     "the credential says who you are"},
      .status = 400});
}

}  // namespace

Gate::Gate(std::shared_ptr<Authority> authority, edge::OperatorGuard& operators,
           std::shared_ptr<loop::IoPost> io_post, monitoring::Metrics& metrics, const Clock& clock)
    : authority_(std::move(authority)),
      operators_(operators),
      io_post_(std::move(io_post)),
      metrics_(metrics),
      clock_(clock),
      signatures_(io_post_, clock, kCheckThreads) {}

loop::Task<wire::HttpResult<Identity>> Gate::identify(const wire::Request& request,
                                                      wire::Route route) {
  if (!authority_) co_return unasked(request, route);
  if (is_public(route))
    co_return Identity{
        .caller = {.user_id = "anonymous", .method = std::string(extensions::kAnonymous)}};
  Method method = Method::kNone;
  NewToken token;
  auto at_once = check_at_once(request, method, token);
  if (!at_once) at_once.emplace(co_await check_new(std::move(token), request.address));
  Found& found = *at_once;
  count(method, found);
  if (!found) co_return wire::refuse(problem_of(found.error()));
  co_return without_contradiction(request, *std::move(found));
}

wire::HttpResult<Identity> Gate::unasked(const wire::Request& request, wire::Route route) {
  const auto permission = wire::permission_of(route);
  if (!permission.empty()) RETURN_IF_ERROR(operators_.admit(permission, request.authorization));
  ASSIGN_OR_RETURN(auto caller, wire::resolve_caller(request.user, request.user_header));
  if (!permission.empty()) caller.method = extensions::kByOperator;
  return Identity{.caller = std::move(caller)};
}

std::optional<Gate::Found> Gate::check_at_once(const wire::Request& request, Method& method,
                                               NewToken& token) {
  const auto& methods = authority_->methods();
  if (!request.authorization && !request.api_key)
    return extensions::auth::refuse(
        Refused::kMissing, fmt::format("this gateway asks who you are: send {} in the header "
                                       "Authorization: Bearer …",
                                       ways_of(methods)));
  // Clients of Anthropic's API send their key in a header of its own.
  const auto sent =
      request.authorization ? edge::bearer_token_of(*request.authorization) : request.api_key;
  if (!sent)
    return extensions::auth::refuse(Refused::kInvalid,
                                    "the header Authorization is not of the form `Bearer TOKEN`");
  if (!extensions::auth::api_key_id(*sent)) {
    method = Method::kJwt;
    token.digest = sha256_hex(*sent);
    auto known = check_token(*sent, token.digest, method);
    if (!known) token.text = *sent;
    return known;
  }
  method = Method::kKey;
  if (methods.keys) return check_key(*sent);
  return extensions::auth::refuse(
      Refused::kInvalid, fmt::format("this gateway takes no API keys: send {}", ways_of(methods)));
}

Gate::Found Gate::check_key(std::string_view key) {
  ASSIGN_OR_RETURN(auto grant, authority_->keys().check(key, clock_.wall()));
  authority_->note_use(grant.principal.key_id);
  return Identity{.caller = std::move(grant.principal), .until = grant.until};
}

std::optional<Gate::Found> Gate::check_token(std::string_view token, const std::string& digest,
                                             Method& method) {
  const bool jwt = authority_->methods().jwt;
  if (jwt) {
    if (const auto now = authority_->issuers().changes(); now != issuer_changes_) {
      issuer_changes_ = now;
      tokens_.keep_signed(*authority_->issuers().issuers());
    }
    if (const auto* known = tokens_.find(digest, clock_.wall()))
      return Identity{known->grant.principal, known->grant.until, known->issuer, known->key};
  }
  if (operators_.knows(digest)) {
    method = Method::kOperator;
    return operator_identity();
  }
  if (!jwt)
    return extensions::auth::refuse(
        Refused::kInvalid,
        "what you sent is not an API key, which is of the form tw_ID_SECRET: "
        "`toolway keys create` makes one");
  if (token.size() > extensions::auth::kMaxJwtBytes)
    return extensions::auth::refuse(
        Refused::kInvalid,
        fmt::format("the token has more than {} bytes", extensions::auth::kMaxJwtBytes));
  return std::nullopt;
}

loop::Task<Gate::Found> Gate::check_new(NewToken token, std::uint64_t address) {
  Refusal refusal;
  const bool begun = co_await await_turn(address, refusal);
  if (!begun) co_return tl::unexpected(std::move(refusal));
  auto found = co_await check_signature(std::move(token.text));
  const bool wrong = !found && found.error().why != Refused::kUnavailable;
  attempts_.ended(address, wrong ? Attempts::End::kWrong : Attempts::End::kRight,
                  clock_.monotonic());
  // Its key may have gone from the issuer's set by now.
  if (found && holds(*found))
    tokens_.remember(token.digest, {{found->caller, found->until}, found->issuer, found->signer});
  co_return found;
}

loop::Task<bool> Gate::await_turn(std::uint64_t address, Refusal& refusal) {
  const auto deadline = clock_.monotonic() + kTurnTimeout;
  for (;;) {
    switch (attempts_.begin(address, clock_.monotonic())) {
      case Attempts::Turn::kBegun: co_return true;
      case Attempts::Turn::kRefused:
        refusal = {
            Refused::kLimited,
            "too many wrong tokens came from your address: tokens that were right before are "
            "still taken, new ones in a second"};
        co_return false;
      case Attempts::Turn::kWaits: break;
    }
    if (clock_.monotonic() >= deadline) {
      refusal = {Refused::kUnavailable, "too many tokens from your address are being checked"};
      co_return false;
    }
    co_await loop::pause(std::chrono::milliseconds(1));
  }
}

loop::Task<Gate::Found> Gate::check_signature(std::string token) {
  auto checked = co_await check_apart(token);
  if (checked && checked->unknown_key) {
    // Its issuer may sign with another key by now.
    auto renewed = [this, issuer = checked->issuer](auto callback) {
      authority_->issuers().renew(issuer, [callback] { callback(Result<bool>(true)); });
    };
    const auto waited = co_await loop::await_callback<bool>(io_post_, std::move(renewed));
    if (waited) checked = co_await check_apart(std::move(token));
  }
  if (!checked)
    co_return extensions::auth::refuse(Refused::kUnavailable,
                                       "too many new tokens are being checked: ask again");
  if (!checked->result) co_return tl::unexpected(std::move(checked->result.error()));
  co_return Identity{std::move(checked->result->principal), checked->result->until, checked->issuer,
                     checked->key->identity()};
}

loop::Task<Result<TokenCheck>> Gate::check_apart(std::string token) {
  auto work = [token = std::move(token), issuers = authority_->issuers().issuers(),
               now = clock_.wall()]() -> Result<TokenCheck> {
    return extensions::auth::check_token(token, *issuers, now);
  };
  co_return co_await signatures_.run<TokenCheck>(std::move(work));
}

bool Gate::holds(const Identity& identity) const {
  if (!authority_) return true;
  const auto now = clock_.wall();
  if (identity.until <= now) return false;
  if (identity.caller.method == extensions::kByKey)
    return authority_->keys().valid(identity.caller.key_id, now);
  if (identity.signer.empty()) return true;
  const auto issuers = authority_->issuers().issuers();
  const auto& keys = (*issuers)[identity.issuer].keys;
  return keys && keys->holds(identity.signer);
}

void Gate::count(Method method, const Found& found) {
  constexpr std::array<std::string_view, kMethods> kMethodNames{"none", "key", "jwt", "operator"};
  const auto result = found ? 0 : static_cast<std::size_t>(found.error().why) + 1;
  auto& counter = counters_[static_cast<std::size_t>(method)][result];
  if (counter == nullptr) {
    counter = &metrics_.counter(monitoring::kAuth,
                                {{"method", kMethodNames[static_cast<std::size_t>(method)]},
                                 {"result", found ? "ok" : word_of(found.error().why)}});
  }
  counter->add();
}

wire::Problem Gate::problem_of(const Refusal& refusal) const {
  switch (refusal.why) {
    case Refused::kLimited:
      return {.error = {ErrorCode::kRateLimited, refusal.message, std::chrono::seconds(1)}};
    case Refused::kUnavailable:
      return {.error = {ErrorCode::kOverloaded, refusal.message, std::chrono::seconds(1)}};
    case Refused::kMissing:
      // Nothing was wrong, so the challenge names no error (RFC 6750 §3.1).
      return {.error = {ErrorCode::kUnauthenticated, refusal.message, {}},
              .challenge = std::string(kRealm)};
    case Refused::kInvalid:
    case Refused::kExpired:
    case Refused::kRevoked: break;
  }
  return {.error = {ErrorCode::kUnauthenticated, refusal.message, {}},
          .challenge = std::string(kRealm) + ", error=\"invalid_token\""};
}

}  // namespace toolway::gateway::auth
