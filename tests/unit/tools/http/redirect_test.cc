#include "tools/http/redirect.h"

#include <gtest/gtest.h>

namespace toolway::tools::http {
namespace {

using Holds = HttpHeader::Holds;

HttpHop hop(const std::string& method, const std::string& url,
            std::optional<std::string> body = std::nullopt) {
  return {.method = method,
          .url = *HttpUrl::parse(url),
          .headers = {{"Accept", "text/plain"},
                      {"Authorization", "Bearer t"},
                      {"cookie", "c"},
                      {"X-Key", "k", Holds::kSecret},
                      {"Content-Type", "text/plain"}},
          .body = std::move(body)};
}

std::string followed(const HttpHop& from, int status, const std::string& location,
                     HttpRedirects::Downgrade downgrade = HttpRedirects::Downgrade::kRefused) {
  const auto next = follow_redirect(from, status, location, {.downgrade = downgrade});
  if (!next) return next.error().message;
  std::string text = next->method + " " + next->url.text();
  for (const auto& header : next->headers) text += " " + header.name;
  return text + (next->body ? " " + *next->body : "");
}

TEST(Redirect, KeepsOrChangesTheMethod) {
  const auto post = hop("POST", "http://a.example/x", "b");
  const std::string got = "GET http://a.example/y Accept Authorization cookie X-Key";
  const std::string kept = " http://a.example/y Accept Authorization cookie X-Key Content-Type";
  EXPECT_EQ(followed(post, 301, "/y"), got);
  EXPECT_EQ(followed(post, 302, "/y"), got);
  EXPECT_EQ(followed(post, 303, "/y"), got);
  EXPECT_EQ(followed(post, 307, "/y"), "POST" + kept + " b");
  EXPECT_EQ(followed(post, 308, "/y"), "POST" + kept + " b");
  EXPECT_EQ(followed(hop("PUT", "http://a.example/x", "b"), 301, "/y"), "PUT" + kept + " b");
  EXPECT_EQ(followed(hop("PUT", "http://a.example/x", "b"), 303, "/y"), got);
  EXPECT_EQ(followed(hop("HEAD", "http://a.example/x"), 303, "/y"), "HEAD" + kept);
  for (const int status : {200, 300, 304, 305, 306, 404}) EXPECT_FALSE(redirects(status)) << status;
  for (const int status : {301, 302, 303, 307, 308}) EXPECT_TRUE(redirects(status)) << status;
}

TEST(Redirect, TakesNoSecretToAnotherOrigin) {
  const std::string bare = " Accept Content-Type";
  EXPECT_EQ(followed(hop("GET", "https://a.example/x"), 302, "https://b.example/y"),
            "GET https://b.example/y" + bare);
  EXPECT_EQ(followed(hop("GET", "https://a.example/x"), 302, "https://a.example:8443/y"),
            "GET https://a.example:8443/y" + bare);
  EXPECT_EQ(followed(hop("GET", "http://a.example/x"), 302, "https://a.example/y"),
            "GET https://a.example/y" + bare);
  EXPECT_EQ(followed(hop("GET", "https://a.example/x"), 302, "https://A.EXAMPLE:443/y"),
            "GET https://a.example/y Accept Authorization cookie X-Key Content-Type");
  EXPECT_EQ(
      followed(hop("POST", "https://a.example/x", "b"), 307, "https://b.example/y"),
      "https://a.example redirects to https://b.example and wants the request's body to go there");
  EXPECT_EQ(followed(hop("POST", "https://a.example/x", "b"), 302, "https://b.example/y"),
            "GET https://b.example/y Accept");
}

TEST(Redirect, ResolvesWhatTheServerSays) {
  const auto from = hop("GET", "https://a.example/d/x?q=1");
  const auto to = [&](const std::string& location) {
    return follow_redirect(from, 302, location, {});
  };
  EXPECT_EQ(to("y")->url.text(), "https://a.example/d/y");
  EXPECT_EQ(to("../y?z")->url.text(), "https://a.example/y?z");
  EXPECT_EQ(to("//b.example/y")->url.text(), "https://b.example/y");
  EXPECT_EQ(to("?z=2")->url.text(), "https://a.example/d/x?z=2");
  EXPECT_EQ(to("/ä b")->url.text(), "https://a.example/%C3%A4%20b");
  EXPECT_EQ(to("/y#part")->url.text(), "https://a.example/y");
  EXPECT_EQ(to("https://127.1/")->url.host, "127.0.0.1");
}

TEST(Redirect, GoesNowhereItShouldNot) {
  const auto from = hop("GET", "https://a.example/x");
  EXPECT_EQ(followed(from, 302, "http://a.example/y"),
            "https://a.example redirects to http://a.example, from https to http");
  EXPECT_EQ(followed(from, 302, "http://a.example/y", HttpRedirects::Downgrade::kAllowed),
            "GET http://a.example/y Accept Content-Type");
  const auto listed = [&](const std::string& location) {
    return follow_redirect(from, 302, location, {.hosts = {"a.example", "*.b.example"}});
  };
  EXPECT_TRUE(listed("/y") && listed("https://x.b.example/"));
  EXPECT_EQ(listed("https://b.example/").error().message,
            "https://a.example redirects to b.example, which is not one of the allowed hosts");
  for (const std::string location :
       {"file:///etc/passwd", "gopher://a/", "javascript:alert(1)", "https://u:p@b.example/",
        "https://127%2e0.0.1/", "//[fe80::1%25eth0]/", "https://b.example\\@c/", "/a\r\nX: y",
        "https://"}) {
    EXPECT_TRUE(followed(from, 302, location)
                    .starts_with("a redirect of https://a.example has no usable URL: "))
        << location << followed(from, 302, location);
  }
}

}  // namespace
}  // namespace toolway::tools::http
