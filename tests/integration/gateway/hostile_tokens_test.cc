// Tokens that try to be what they are not, at the face of HTTP: each is refused, and nothing runs.
#include <openssl/hmac.h>

#include "tests/integration/gateway/auth_fixture.h"

namespace toolway {
namespace {

using extensions::auth::to_base64url;
using test::status;
using test::TokenSigner;

std::string hmac_by(const std::string& key, const std::string& text) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       reinterpret_cast<unsigned char*>(digest.data()), &size);
  digest.resize(size);
  return digest;
}

/// A name, what is sent after `Bearer `, and a word of the refusal.
struct Hostile {
  std::string name;
  std::string token;
  std::string words;
};

class HostileTokens : public test::AskingGateway {
 protected:
  /// Signed rightly by the key `ec`, with this header.
  std::string of(std::string_view header) const {
    return ec_.sign_texts(header, to_text(claims()), "ES256");
  }
  std::string of_claims(const Json& made) const { return ec_.sign(made, "ES256"); }
  /// A gateway of its own, since wrong ones run out; it still takes a right one.
  void expect_all_refused(const std::vector<Hostile>& tokens) {
    ASSERT_LE(tokens.size(), 36U) << "the gateway would refuse the rest for their number";
    start({.keys = true, .jwt = true});
    for (const auto& hostile : tokens) {
      SCOPED_TRACE(hostile.name);
      const auto answer = ask("POST /v1/sessions", R"({"session_id":"x"})", bearer(hostile.token));
      EXPECT_EQ(status(answer), 401) << answer;
      EXPECT_EQ(code(answer), "unauthenticated");
      EXPECT_NE(detail(answer).find(hostile.words), std::string::npos) << detail(answer);
      EXPECT_NE(answer.find("error=\"invalid_token\""), std::string::npos) << answer;
    }
    const auto sessions = ask("GET /v1/sessions", "", bearer(good()));
    EXPECT_EQ(status(sessions), 200) << sessions;
    EXPECT_EQ(test::body(sessions)["sessions"], Json::array()) << "nothing was opened";
  }
};

TEST_F(HostileTokens, AlgorithmsAndHeaders) {
  const auto alg = [&](const char* name) {
    return of(to_text(Json{{"alg", name}, {"kid", "ec"}}));
  };
  // HMAC with the public key as its secret (CVE-2015-9235).
  const auto text =
      to_base64url(R"({"alg":"HS256","kid":"ec"})") + "." + to_base64url(to_text(claims()));
  expect_all_refused({
      {"alg none, unsigned",
       to_base64url(R"({"alg":"none"})") + "." + to_base64url(to_text(claims())) + ".", "alg none"},
      {"alg none, with a signature", alg("none"), "alg none"},
      {"alg nOnE", alg("nOnE"), "alg none"},
      {"HMAC with the public key", text + "." + to_base64url(hmac_by(to_text(ec_.jwk()), text)),
       "HS256"},
      {"alg HS512", alg("HS512"), "HS512"},
      {"alg EdDSA", alg("EdDSA"), "EdDSA"},
      {"alg ES256K", alg("ES256K"), "ES256K"},
      {"alg of another type of key", alg("RS256"), "no such key"},
      {"alg of another curve", alg("ES384"), "no such key"},
      {"alg in lower case", alg("es256"), "es256"},
      {"no alg", of(R"({"kid":"ec"})"), "alg"},
      {"alg as a list", of(R"({"alg":["ES256"],"kid":"ec"})"), "`alg` is not text"},
      {"crit", of(R"({"alg":"ES256","kid":"ec","crit":["exp"]})"), "`crit`"},
      {"b64 false", of(R"({"alg":"ES256","kid":"ec","b64":false})"), "`b64`"},
      {"nested", of(R"({"alg":"ES256","kid":"ec","cty":"JWT"})"), "holds another"},
      {"encrypted, by its header", of(R"({"alg":"ES256","kid":"ec","enc":"A128GCM"})"),
       "encrypted"},
      {"packed", of(R"({"alg":"ES256","kid":"ec","zip":"DEF"})"), "packed"},
      {"of another type", of(R"({"alg":"ES256","kid":"ec","typ":"secevent+jwt"})"), "type"},
      {"alg twice", of(R"({"alg":"RS256","alg":"ES256","kid":"ec"})"), "header cannot be read"},
      {"kid as a number", of(R"({"alg":"ES256","kid":7})"), "`kid` is not text"},
      {"kid as a path", of(R"({"alg":"ES256","kid":"../../etc/passwd"})"), "no such key"},
      {"kid as a URL", of(R"({"alg":"ES256","kid":"https://evil.example/k"})"), "no such key"},
      {"kid as SQL", of(R"({"alg":"ES256","kid":"' OR 1=1 --"})"), "no such key"},
      {"a header that is a list", of(R"(["ES256"])"), "not an object"},
      {"a header that is not UTF-8", of("\xff"), "header cannot be read"},
  });
  EXPECT_LE(fetched(), 3) << "no kid makes it ask again and again, and none is fetched from";
}

TEST_F(HostileTokens, KeysThatTokensBring) {
  const auto theirs = TokenSigner::ec("P-256", "theirs");
  const auto header = [&](const char* name, const Json& value) {
    return theirs.sign_texts(to_text(Json{{"alg", "ES256"}, {"kid", "ec"}, {name, value}}),
                             to_text(claims()), "ES256");
  };
  expect_all_refused({
      {"jwk in the header", header("jwk", theirs.jwk()), "signature is wrong"},
      {"jku in the header", header("jku", "https://evil.example/jwks.json"), "signature is wrong"},
      {"x5u in the header", header("x5u", "https://evil.example/c.pem"), "signature is wrong"},
      {"x5c in the header", header("x5c", Json::array({"MII"})), "signature is wrong"},
      {"signed by another key of that name",
       theirs.sign_texts(R"({"alg":"ES256","kid":"ec"})", to_text(claims()), "ES256"),
       "signature is wrong"},
      {"signed by another key", theirs.sign(claims(), "ES256"), "no such key"},
  });
}

TEST_F(HostileTokens, Claims) {
  auto twice = to_text(claims());
  twice.insert(1, R"("sub":"root",)");
  expect_all_refused({
      {"another issuer", of_claims(with("iss", "https://evil.example")), "issuer"},
      {"an issuer with a slash more", of_claims(with("iss", "https://login.example/")), "issuer"},
      {"no issuer", of_claims(without("iss")), "issuer"},
      {"another audience", of_claims(with("aud", "other")), "audience"},
      {"a list of other audiences", of_claims(with("aud", {"a", "b"})), "audience"},
      {"no audience", of_claims(without("aud")), "audience"},
      {"expired, skew counted", of_claims(with("exp", at(-61))), "expired"},
      {"no expiry", of_claims(without("exp")), "`exp`"},
      {"expiry as text", of_claims(with("exp", "9999999999")), "`exp`"},
      {"not valid yet, skew counted", of_claims(with("nbf", at(65))), "`nbf`"},
      {"no subject", of_claims(without("sub")), "`sub`"},
      {"a subject that is a number", of_claims(with("sub", 7)), "`sub`"},
      {"an empty subject", of_claims(with("sub", "")), "user's id"},
      {"a subject with a line end", of_claims(with("sub", "ann\r\nx-a: b")), "user's id"},
      {"roles that are numbers", of_claims(with("roles", {1, 2})), "`roles`"},
      {"a claim twice", ec_.sign_texts(R"({"alg":"ES256","kid":"ec"})", twice, "ES256"), "payload"},
      {"claims that are a list", ec_.sign_texts(R"({"alg":"ES256","kid":"ec"})", "[]", "ES256"),
       "payload"},
      {"claims that are not JSON", ec_.sign_texts(R"({"alg":"ES256","kid":"ec"})", "{", "ES256"),
       "payload"},
  });
}

TEST_F(HostileTokens, OfAnIssuerThatNamesNamespaces) {
  namespaces_claim_ = "nss";
  start({.keys = true, .jwt = true});
  for (const auto& hostile : std::vector<Hostile>{
           {"no claim", good(), "no claim `nss`"},
           {"an empty list", of_claims(with("nss", Json::array())), "names no namespace"},
           {"an empty text", of_claims(with("nss", "")), "names no namespace"},
           {"null", of_claims(with("nss", nullptr)), "neither a list nor words"},
           {"a list of others", of_claims(with("nss", {1})), "not a list of texts"}}) {
    const auto answer =
        ask("POST /v1/sessions", R"({"namespaces":["web"]})", bearer(hostile.token));
    EXPECT_EQ(status(answer), 401) << hostile.name << answer;
    EXPECT_NE(detail(answer).find(hostile.words), std::string::npos) << detail(answer);
  }
  const auto web = bearer(of_claims(with("nss", {"web"})));
  EXPECT_EQ(status(ask("POST /v1/sessions", R"({"namespaces":["web"]})", web)), 201);
  const auto other = ask("POST /v1/sessions", R"({"namespaces":["files"]})", web);
  EXPECT_EQ(status(other), 403);
  EXPECT_NE(detail(other).find("your key or token is limited to other namespaces"),
            std::string::npos)
      << other;
}

TEST_F(HostileTokens, Texts) {
  const auto right = good();
  const auto dot = right.rfind('.');
  auto flipped = right;
  flipped[dot + 5] = flipped[dot + 5] == 'A' ? 'B' : 'A';
  const auto other_claims = right.substr(0, right.find('.') + 1) +
                            to_base64url(to_text(with("sub", "root"))) + right.substr(dot);
  expect_all_refused({
      {"a flipped bit of the signature", flipped, "signature is wrong"},
      {"other claims under a right signature", other_claims, "signature is wrong"},
      {"no signature", right.substr(0, dot + 1), "no signature"},
      {"without its last part", right.substr(0, dot), ""},
      {"a part more", right + ".x", ""},
      {"a JWE", "a.b.c.d.e", "JWE"},
      {"padded", right + "=", "no signature"},
      {"dots alone", "..", ""},
      {"an ECDSA signature of nothing but zeros (CVE-2022-21449)",
       right.substr(0, dot + 1) + to_base64url(std::string(64, '\0')), "signature is wrong"},
      {"longer than is read", std::string(9'000, 'a'), "bytes"},
      {"a key's form with another secret", "tw_0123456789ab_" + std::string(40, '0'), "API key"},
      {"nearly a key's form", "tw_0123456789ab_" + std::string(39, '0'), ""},
  });
  // Longer than a header may be.
  test::RawClient large(gateway_->port());
  large.send_some(test::http_request("GET /v1/sessions", "", bearer(std::string(1'000'000, 'a'))));
  EXPECT_EQ(status(large.response()), 431);
  // Two of them: a proxy and this gateway might each take another.
  EXPECT_EQ(status(ask("GET /v1/sessions", "", bearer(right) + bearer(right))), 400);
  // In a place that logs keep.
  EXPECT_EQ(status(ask("GET /v1/sessions?access_token=" + right)), 401);
}

}  // namespace
}  // namespace toolway
