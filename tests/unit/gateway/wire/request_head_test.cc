#include "gateway/wire/request_head.h"

#include <gtest/gtest.h>

namespace toolway::gateway::wire {
namespace {

RequestHead head_of(std::vector<HeaderLine> lines) {
  return {.method = "POST", .target = "/v1", .version = 11, .lines = std::move(lines)};
}

/// Why it is refused; empty: it is not.
std::string why_not(const RequestHead& head) {
  const auto problem = refuse_head(head);
  if (!problem) return "";
  EXPECT_EQ(status_of(*problem), 400U);
  return problem->error.message;
}
std::string refusal_of(std::vector<HeaderLine> lines) { return why_not(head_of(std::move(lines))); }

TEST(RequestHead, FindsLinesWhateverTheCaseOfTheirNames) {
  const auto head = head_of({{"accept", "a"}, {"ACCEPT", "b"}, {"Acceptor", "c"}});
  EXPECT_EQ(head.find("Accept"), "a");
  EXPECT_EQ(head.count("Accept"), 2U);
  EXPECT_EQ(head.joined("Accept"), "a,b");
  EXPECT_EQ(head.find("Range"), std::nullopt);
  EXPECT_EQ(head.count("Range"), 0U);
  EXPECT_EQ(head.joined("Range"), "");
}

TEST(RequestHead, AnEmptyLineStaysAnElementOfTheList) {
  EXPECT_EQ(head_of({{"X", ""}, {"X", "b"}}).joined("X"), ",b");
}

TEST(RefuseHead, AHostIsNeededFromHttp11On) {
  EXPECT_EQ(refusal_of({{"host", "localhost:8080"}}), "");
  EXPECT_EQ(refusal_of({{"Host", ""}}), "") << "RFC 9112 allows it";
  EXPECT_EQ(refusal_of({}), "the header Host is missing");
  EXPECT_EQ(refusal_of({{"Host", "a/b"}}), "Host is not NAME or NAME:PORT");
  auto old = head_of({});
  old.version = 10;
  EXPECT_EQ(why_not(old), "");
}

TEST(RefuseHead, AnAbsoluteTargetNamesTheSameHost) {
  auto head = head_of({{"Host", "Example.com"}});
  for (const char* target :
       {"http://example.com/v1", "HTTPS://EXAMPLE.com", "http://example.com?a=/"}) {
    head.target = target;
    EXPECT_EQ(why_not(head), "") << target;
  }
  for (const char* target : {"http://other.com/", "http://example.com:80/", "http:///v1"}) {
    head.target = target;
    EXPECT_EQ(why_not(head), "Host does not match the host of the request's target") << target;
  }
}

TEST(RefuseHead, TwoProgramsCannotReadTwoLengths) {
  const HeaderLine host{"Host", "a"};
  const HeaderLine length{"Content-Length", "5"};
  const HeaderLine chunked{"Transfer-Encoding", "Chunked"};
  EXPECT_EQ(refusal_of({host, length}), "");
  EXPECT_EQ(refusal_of({host, chunked}), "");
  EXPECT_EQ(refusal_of({host, length, chunked}),
            "Content-Length and Transfer-Encoding exclude each other");
  for (const char* wrong : {"", "+5", "-5", "5, 5", "0x5", "5 "})
    EXPECT_EQ(refusal_of({host, {"Content-Length", wrong}}), "Content-Length is not a number")
        << wrong;
  EXPECT_EQ(refusal_of({host, {"Transfer-Encoding", "gzip, chunked"}}),
            "the only Transfer-Encoding accepted is `chunked`");
  auto old = head_of({host, chunked});
  old.version = 10;
  EXPECT_EQ(why_not(old), "HTTP/1.0 has no Transfer-Encoding");
}

TEST(RefuseHead, WhatDecidesARequestAppearsOnce) {
  for (const char* name :
       {"Host", "Content-Length", "Content-Type", "X-Toolway-User", "Idempotency-Key", "Origin",
        "Mcp-Method", "Last-Event-ID", "Range", "Transfer-Encoding"}) {
    EXPECT_EQ(refusal_of({{"Host", "a"}, {name, "1"}, {name, "1"}}),
              "the header " + std::string(name) + " appears more than once");
  }
  EXPECT_EQ(refusal_of({{"Host", "a"}, {"Accept", "1"}, {"Accept", "1"}}), "");
}

}  // namespace
}  // namespace toolway::gateway::wire
