#include "extensions/auth/issuer.h"

#include <gtest/gtest.h>

#include "extensions/auth/token_cache.h"
#include "tests/unit/extensions/auth/token_signer.h"

namespace toolway::extensions::auth {
namespace {

using std::chrono::seconds;

class IssuedTokens : public testing::Test {
 protected:
  IssuedTokens() {
    rules_.issuer = "https://login.example";
    rules_.audiences = {"toolway"};
    rules_.tenant = "acme";
    use_keys({ec_.jwk(), rsa_.jwk()});
  }
  void use_keys(std::vector<Json> jwks) {
    auto set = read_key_set(to_text(Json{{"keys", jwks}}));
    ASSERT_TRUE(set) << set.error().message;
    issuers_ = {{rules_, std::make_shared<const KeySet>(std::move(*set))}};
  }
  Json claims() const {
    return {{"iss", rules_.issuer}, {"aud", "toolway"}, {"sub", "ann"}, {"exp", at(300)}};
  }
  std::int64_t at(std::int64_t offset) const {
    return std::chrono::floor<seconds>(now_).time_since_epoch().count() + offset;
  }
  Json with(const char* name, const Json& value) const { return with_claim(claims(), name, value); }
  Json without(const char* name) const { return without_claim(claims(), name); }
  TokenCheck check(std::string_view token) const { return check_token(token, issuers_, now_); }
  void expect_refused(std::string_view token, std::string_view words,
                      Refused why = Refused::kInvalid) const {
    const auto checked = check(token);
    ASSERT_FALSE(checked.result) << token;
    EXPECT_EQ(checked.result.error().why, why);
    EXPECT_NE(checked.result.error().message.find(words), std::string::npos)
        << checked.result.error().message;
  }

  const TokenSigner ec_ = TokenSigner::ec("P-256", "ec");
  const TokenSigner rsa_ = TokenSigner::rsa(2048, "rsa");
  IssuerRules rules_;
  std::vector<Issuer> issuers_;
  const WallTime now_{std::chrono::hours(500'000)};
};

TEST_F(IssuedTokens, EveryAlgorithmOfTheListIsChecked) {
  const auto p384 = TokenSigner::ec("P-384", "p384");
  const auto p521 = TokenSigner::ec("P-521", "p521");
  use_keys({ec_.jwk(), p384.jwk(), p521.jwk(), rsa_.jwk()});
  for (const char* alg : {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
    EXPECT_TRUE(check(rsa_.sign(claims(), alg)).result) << alg;
  EXPECT_TRUE(check(ec_.sign(claims(), "ES256")).result);
  EXPECT_TRUE(check(p384.sign(claims(), "ES384")).result);
  EXPECT_TRUE(check(p521.sign(claims(), "ES512")).result);
}

TEST_F(IssuedTokens, ATokenIsItsUserInTheIssuersTenant) {
  const auto checked = check(ec_.sign(claims(), "ES256"));
  ASSERT_TRUE(checked.result);
  EXPECT_EQ(checked.result->principal.tenant_id, "acme");
  EXPECT_EQ(checked.result->principal.user_id, "ann");
  EXPECT_EQ(checked.result->principal.method, kByJwt);
  EXPECT_EQ(checked.result->until, now_ + seconds(360));
  ASSERT_TRUE(checked.key);
  EXPECT_EQ(checked.key->kid(), "ec");
}

TEST_F(IssuedTokens, ClaimsSayTenantRolesAndNamespaces) {
  rules_.tenant.clear();
  rules_.tenant_claim = "/org/id";
  rules_.user_prefix = "login:";
  rules_.roles = {"agent"};
  rules_.roles_claim = "scope";
  rules_.namespaces_claim = "ns";
  auto says = claims();
  says["org"] = {{"id", "blue"}};
  says["scope"] = "reader writer";
  says["ns"] = {"shop"};
  const auto granted = grant_of(says, rules_, now_);
  ASSERT_TRUE(granted) << granted.error().message;
  EXPECT_EQ(granted->principal.tenant_id, "blue");
  EXPECT_EQ(granted->principal.user_id, "login:ann");
  EXPECT_EQ(granted->principal.roles, (std::vector<std::string>{"agent", "reader", "writer"}));
  EXPECT_EQ(granted->principal.namespaces, std::vector<std::string>{"shop"});
  says["org"]["id"] = "../x";
  EXPECT_FALSE(grant_of(says, rules_, now_));
  says["org"] = "blue";
  EXPECT_FALSE(grant_of(says, rules_, now_));
}

TEST_F(IssuedTokens, ANamespacesClaimLimitsAndNeverWidens) {
  using Globs = std::vector<std::string>;
  const auto limits = [&](const Json& claimed) {
    const auto granted = grant_of(with("nss", claimed), rules_, now_);
    return granted ? granted->principal.namespaces : Globs{granted.error().message};
  };
  rules_.namespaces_claim = "nss";
  EXPECT_EQ(limits({"web", "shop_*"}), (Globs{"web", "shop_*"}));
  EXPECT_EQ(limits({"*"}), Globs{"*"});
  for (const auto& nothing : {Json::array(), Json(""), Json("  ")})
    EXPECT_EQ(limits(nothing),
              Globs{"the token's `nss` names no namespace, so the token opens nothing"});
  const auto without = grant_of(claims(), rules_, now_);
  ASSERT_FALSE(without);
  EXPECT_NE(without.error().message.find("no claim `nss`"), std::string::npos);
  rules_.namespaces = {"web", "shop_*"};
  EXPECT_EQ(limits({"*"}), (Globs{"web", "shop_*"}));
  EXPECT_EQ(limits({"shop_eu", "files"}), Globs{"shop_eu"});
  EXPECT_EQ(limits({"we*", "shop_e*"}), (Globs{"web", "shop_e*"}));
  const Globs no{"the token's `nss` names no namespace that its issuer's users may open"};
  EXPECT_EQ(limits({"files"}), no);
  EXPECT_EQ(limits({"*_eu"}), no) << "overlaps in part only";
  rules_.namespaces_claim.clear();
  EXPECT_EQ(limits({"*"}), (Globs{"web", "shop_*"}));
}

TEST_F(IssuedTokens, OfTheTimesThereAreSixtySecondsOfSkew) {
  EXPECT_TRUE(check(ec_.sign(with("exp", at(-59)), "ES256")).result);
  expect_refused(ec_.sign(with("exp", at(-60)), "ES256"), "expired", Refused::kExpired);
  EXPECT_TRUE(check(ec_.sign(with("nbf", at(60)), "ES256")).result);
  expect_refused(ec_.sign(with("nbf", at(61)), "ES256"), "not valid yet");
  expect_refused(ec_.sign(without("exp"), "ES256"), "no `exp`");
  expect_refused(ec_.sign(with("exp", "soon"), "ES256"), "not a time");
  expect_refused(ec_.sign(with("exp", 1e300), "ES256"), "not a time");
}

TEST_F(IssuedTokens, AnotherIssuerOrAudienceIsRefused) {
  expect_refused(ec_.sign(with("iss", "https://login.example/"), "ES256"), "issuer");
  expect_refused(ec_.sign(without("iss"), "ES256"), "issuer");
  expect_refused(ec_.sign(with("aud", "other"), "ES256"), "audience");
  expect_refused(ec_.sign(with("aud", Json::array()), "ES256"), "audience");
  expect_refused(ec_.sign(without("aud"), "ES256"), "audience");
  EXPECT_TRUE(check(ec_.sign(with("aud", {"other", "toolway"}), "ES256")).result);
  expect_refused(ec_.sign(with("sub", 7), "ES256"), "`sub`");
  expect_refused(ec_.sign(with("sub", "a\nb"), "ES256"), "user's id");
  expect_refused(ec_.sign(without("sub"), "ES256"), "`sub`");
}

TEST_F(IssuedTokens, AlgorithmsThatAreNotCheckedAreRefusedByName) {
  const auto of = [&](const char* alg) {
    return ec_.sign_texts(to_text(Json{{"alg", alg}, {"kid", "ec"}}), to_text(claims()), "ES256");
  };
  expect_refused(of("none"), "alg none");
  expect_refused(of("nOnE"), "alg none");
  expect_refused(of("HS256"), "HS256");
  expect_refused(of("EdDSA"), "EdDSA");
  expect_refused(of("ES256K"), "ES256K");
  expect_refused(of("RS256"), "no such key");  // of another type
  expect_refused(of("ES384"), "no such key");  // of another curve
  rules_.algorithms = {Algorithm::kRs256};
  use_keys({ec_.jwk(), rsa_.jwk()});
  expect_refused(ec_.sign(claims(), "ES256"), "not allowed for this issuer");
  EXPECT_TRUE(check(rsa_.sign(claims(), "RS256")).result);
}

TEST_F(IssuedTokens, AHeaderThatIsNotUnderstoodIsRefused) {
  const auto of = [&](std::string_view header) {
    return ec_.sign_texts(header, to_text(claims()), "ES256");
  };
  EXPECT_TRUE(check(of(R"({"alg":"ES256","kid":"ec"})")).result);
  expect_refused(of(R"({"alg":"ES256","kid":"ec","crit":["exp"]})"), "`crit`");
  expect_refused(of(R"({"alg":"ES256","kid":"ec","b64":false})"), "`b64`");
  expect_refused(of(R"({"alg":"ES256","kid":"ec","cty":"JWT"})"), "holds another");
  expect_refused(of(R"({"alg":"ES256","kid":"ec","enc":"A128GCM"})"), "encrypted");
  expect_refused(of(R"({"alg":"ES256","kid":"ec","zip":"DEF"})"), "packed");
  expect_refused(of(R"({"alg":"ES256","kid":"ec","typ":"secevent+jwt"})"), "type");
  expect_refused(of(R"({"alg":"RS256","alg":"ES256","kid":"ec"})"), "header cannot be read");
  expect_refused(of(R"({"kid":"ec"})"), "alg");
  expect_refused(of(R"({"alg":["ES256"],"kid":"ec"})"), "`alg` is not text");
  expect_refused(of(R"({"alg":"ES256","kid":7})"), "`kid` is not text");
  expect_refused(of(R"({"alg":"ES256","kid":"../../etc/passwd"})"), "no such key");
  expect_refused(of(R"({"alg":"ES256","kid":"https://evil.example/k"})"), "no such key");
  expect_refused(of(R"(["ES256"])"), "not an object");
  expect_refused(of("\xff"), "header cannot be read");
  auto twice = to_text(claims());
  twice.insert(1, R"("sub":"root",)");
  expect_refused(ec_.sign_texts(R"({"alg":"ES256","kid":"ec"})", twice, "ES256"), "payload");
}

TEST_F(IssuedTokens, OtherTextsAreRefused) {
  const auto good = ec_.sign(claims(), "ES256");
  for (const char* text : {"", ".", "..", "a.b", "a.b.c.d", "abc"})
    EXPECT_FALSE(check(text).result) << text;
  expect_refused("a.b.c.d.e", "JWE");
  expect_refused(good.substr(0, good.rfind('.') + 1), "no signature");
  expect_refused(good + "=", "no signature");
  expect_refused(" " + good, "base64url");
  expect_refused(std::string(1'000'000, 'a'), "bytes at most");
}

TEST_F(IssuedTokens, AWrongSignatureIsRefused) {
  const auto good = ec_.sign(claims(), "ES256");
  const auto dot = good.rfind('.');
  for (std::size_t i = dot + 1; i + 1 < good.size(); i += 7) {
    auto wrong = good;
    wrong[i] = wrong[i] == 'A' ? 'B' : 'A';
    expect_refused(wrong, "signature is wrong");
  }
  const auto other = TokenSigner::ec("P-256", "ec");
  expect_refused(other.sign(claims(), "ES256"), "signature is wrong");
  const auto with_other_claims = good.substr(0, good.find('.') + 1) +
                                 to_base64url(to_text(with("sub", "root"))) + good.substr(dot);
  expect_refused(with_other_claims, "signature is wrong");
  // One byte more, which libcjose before 0.6.2.4 does not see, and one less.
  const auto bytes = *from_base64url(good.substr(dot + 1));
  expect_refused(good.substr(0, dot + 1) + to_base64url(bytes + '\0'), "signature is wrong");
  const auto pss = rsa_.sign(claims(), "PS256");
  const auto pss_dot = pss.rfind('.');
  const auto pss_bytes = *from_base64url(pss.substr(pss_dot + 1));
  expect_refused(pss.substr(0, pss_dot + 1) + to_base64url(pss_bytes.substr(1)),
                 "signature is wrong");
}

TEST_F(IssuedTokens, WithoutAKidTheOnlyKeyThatSuitsIsTaken) {
  const auto bare = ec_.sign_texts(R"({"alg":"ES256"})", to_text(claims()), "ES256");
  EXPECT_TRUE(check(bare).result);
  use_keys({ec_.jwk(), TokenSigner::ec("P-256", "second").jwk()});
  const auto checked = check(bare);
  EXPECT_FALSE(checked.result);
  EXPECT_TRUE(checked.unknown_key);
}

TEST_F(IssuedTokens, AKeyThatIsNotKnownMayBeNew) {
  const auto fresh = TokenSigner::ec("P-256", "fresh");
  EXPECT_TRUE(check(fresh.sign(claims(), "ES256")).unknown_key);
  EXPECT_FALSE(check("nonsense").unknown_key);
  issuers_.front().keys = nullptr;
  expect_refused(ec_.sign(claims(), "ES256"), "not known yet", Refused::kUnavailable);
}

TEST_F(IssuedTokens, KeysThatProveNothingAreLeftOut) {
  auto weak = TokenSigner::rsa(1024, "weak").jwk();
  auto secret = Json{{"kty", "oct"}, {"kid", "secret"}, {"k", "AAAA"}};
  auto off_curve = ec_.jwk();
  off_curve["y"] = off_curve["x"];
  auto for_encryption = rsa_.jwk();
  for_encryption["use"] = "enc";
  const auto set = read_key_set(
      to_text(Json{{"keys", {weak, secret, off_curve, for_encryption, rsa_.jwk(), 7}}}));
  ASSERT_TRUE(set);
  EXPECT_EQ(set->keys.size(), 1U);
  EXPECT_EQ(set->left_out.size(), 4U);
  EXPECT_FALSE(read_key_set(R"({"keys":[]})"));
  EXPECT_FALSE(read_key_set("[]"));
  EXPECT_FALSE(read_key_set(to_text(Json{{"keys", {for_encryption}}})));
}

TEST_F(IssuedTokens, WhatIsRememberedEndsWithItsTimeAndItsKey) {
  TokenCache cache(2);
  const auto checked = check(ec_.sign(claims(), "ES256"));
  ASSERT_TRUE(checked.result);
  const TokenCache::Known known{*checked.result, checked.issuer, checked.key->identity()};
  cache.remember("a", known);
  EXPECT_TRUE(cache.find("a", now_));
  EXPECT_FALSE(cache.find("a", known.grant.until));
  EXPECT_EQ(cache.size(), 0U);
  for (const char* digest : {"a", "b"}) cache.remember(digest, known);
  EXPECT_TRUE(cache.find("a", now_));
  cache.remember("c", known);
  EXPECT_FALSE(cache.find("b", now_));
  EXPECT_TRUE(cache.find("a", now_));
  cache.keep_signed(issuers_);
  EXPECT_EQ(cache.size(), 2U);
  use_keys({rsa_.jwk()});
  cache.keep_signed(issuers_);
  EXPECT_EQ(cache.size(), 0U);
}

}  // namespace
}  // namespace toolway::extensions::auth
