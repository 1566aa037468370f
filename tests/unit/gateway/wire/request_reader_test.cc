#include "gateway/wire/request_reader.h"

#include <gtest/gtest.h>

#include <cstring>

namespace toolway::gateway::wire {
namespace {

using namespace std::string_view_literals;
using Step = RequestReader::Step;

/// Gives a reader `text` in pieces of `size`, until a request is whole or refused; what it still
/// waits for stays in `text`.
Step feed(RequestReader& reader, std::string_view& text, std::size_t size = 4096) {
  for (;;) {
    const Step step = reader.step();
    if (step == Step::kWhole || step == Step::kRefused) return step;
    if (step == Step::kHead) continue;
    if (text.empty()) return step;
    const auto piece = text.substr(0, size);
    std::memcpy(reader.prepare(piece.size()).data(), piece.data(), piece.size());
    reader.commit(piece.size());
    text.remove_prefix(piece.size());
  }
}

/// 200 when it is taken, 0 when more would have to come; else the problem's status.
unsigned status(std::string_view text, std::size_t size = 4096) {
  RequestReader reader({});
  const Step step = feed(reader, text, size);
  return step == Step::kWhole ? 200 : step == Step::kRefused ? status_of(reader.problem()) : 0;
}

std::string request(const std::string& headers, const std::string& body = "") {
  return "POST /v1/sessions HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n" + body;
}
std::string chunked(const std::string& body) {
  return request("Transfer-Encoding: chunked\r\n", body);
}

TEST(RequestReader, ReadsTheSameWhateverThePieces) {
  const std::string text = "\r\n\r\n" +
                           chunked("3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nX-Toolway-User: bob\r\n\r\n") +
                           request("Content-Length: 2\r\n", "{}") + "GET /livez HTTP/1.0\r\n\r\n";
  for (const std::size_t size : {1U, 2U, 3U, 7U, 4096U}) {
    RequestReader reader({});
    std::string_view rest = text;
    ASSERT_EQ(feed(reader, rest, size), Step::kWhole) << size;
    EXPECT_EQ(reader.body(), "abcde");
    EXPECT_EQ(reader.head().find("x-toolway-user"), std::nullopt) << "a trailer is not a header";
    reader.next();
    ASSERT_EQ(feed(reader, rest, size), Step::kWhole) << size;
    EXPECT_EQ(reader.body(), "{}");
    EXPECT_TRUE(reader.has_body());
    EXPECT_TRUE(reader.keep_alive());
    reader.next();
    ASSERT_EQ(feed(reader, rest, size), Step::kWhole) << size;
    EXPECT_EQ(reader.head().version, 10U);
    EXPECT_FALSE(reader.has_body());
    EXPECT_FALSE(reader.keep_alive());
  }
}

/// Beast asserts that it is not shown "0\r\n\r" alone after "0\r\n": a client could end a gateway
/// so.
TEST(RequestReader, TheEndOfAChunkedBodyMayComeInAnyPieces) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string body :
       {"0\r\n\r\n", "1\r\nA\r\n0\r\n\r\n", "0;a=b\r\nt: x\r\n\r\n", "00\r\n\r\n"}) {
    for (std::size_t cut = 0; cut <= body.size(); ++cut) {
      for (std::size_t again = cut; again <= body.size(); ++again) {
        RequestReader reader({});
        Step step = Step::kMore;
        for (const std::string& piece :
             {head + body.substr(0, cut), body.substr(cut, again - cut), body.substr(again)}) {
          std::string_view rest = piece;
          if (step == Step::kMore) step = feed(reader, rest);
        }
        EXPECT_EQ(step, Step::kWhole) << body << cut << again;
      }
    }
  }
}

TEST(RequestReader, TakesOneLengthOfABody) {
  for (const auto* headers :
       {"Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding:\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: identity\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 2\r\nContent-Length: 2\r\n", "Content-Length: 2, 2\r\n",
        "Content-Length: +2\r\n", "Content-Length: 2\r\nContent-Length: 3\r\n",
        "Content-Length:\r\n", "Content-Length: 18446744073709551616\r\n"}) {
    EXPECT_EQ(status(request(headers, "{}")), 400U) << headers;
  }
  EXPECT_EQ(status("POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            400U);
  EXPECT_EQ(status(request("transfer-encoding:CHUNKED \r\n", "0\r\n\r\n")), 200U);
}

TEST(RequestReader, TakesOneHostAndOneOfEachHeaderThatSaysWho) {
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), 400U);
  EXPECT_EQ(status("GET / HTTP/1.0\r\n\r\n"), 200U);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), 400U);
  for (const auto* host :
       {"a b", "a, b", "a/b", "u@h", "h:x", "h:70000", "[::1", "a\tb", "h:1:2", ":80"}) {
    EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), 400U) << host;
  }
  for (const auto* host : {"h", "H.example.:8080", "[::1]:8080", "127.0.0.1", ""}) {
    EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), 200U) << host;
  }
  EXPECT_EQ(status("GET http://other/ HTTP/1.1\r\nHost: h\r\n\r\n"), 400U);
  EXPECT_EQ(status("GET http://u@h/ HTTP/1.1\r\nHost: h\r\n\r\n"), 400U);
  EXPECT_EQ(status("GET http://H/ HTTP/1.1\r\nHost: h\r\n\r\n"), 200U);
  for (const std::string name :
       {"X-Toolway-User", "Idempotency-Key", "Content-Type", "Origin", "Last-Event-ID", "Range"}) {
    EXPECT_EQ(status(request(name + ": a\r\n" + name + ": a\r\n")), 400U) << name;
    EXPECT_EQ(status(request(name + ": a\r\n")), 200U) << name;
  }
}

TEST(RequestReader, RefusesWhatOthersReadDifferently) {
  for (const auto* head :
       {"GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\n Host: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\n\tx: y\r\n\r\n", "GET / HTTP/1.1\nHost: h\n\n",
        "GET / HTTP/1.1\r\nHost: h\nA: b\r\n\r\n", "GET / HTTP/1.1\r\nHost : h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\rA: b\r\n\r\n", "GET / HTTP/2.0\r\nHost: h\r\n\r\n",
        "\x16\x03\x01\x02", "\n", " GET / HTTP/1.1\r\n", "\rG"}) {
    EXPECT_EQ(status(head), 400U) << head;
    EXPECT_EQ(status(head, 1), 400U) << head;
  }
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: h\r\nA: \0\r\n\r\n"sv), 400U);
  for (const auto* body : {"xyz\r\n", "1\nA\r\n0\r\n\r\n", "1\r\nABCDEF\r\n", "-1\r\nA\r\n",
                           "0x1\r\n\r\n", "ffffffffffffffffff\r\n", "1\r\nA0\r\n\r\n"}) {
    EXPECT_EQ(status(chunked(body)), 400U) << body;
  }
}

/// Sends `begin` and then `more` without end; how many bytes are taken before it is refused.
std::size_t taken(const std::string& begin, const std::string& more, unsigned expected) {
  RequestReader reader({});
  std::size_t given = 0;
  std::string piece = begin;
  for (; given < 2'000'000; piece = more) {
    given += piece.size();
    std::string_view rest = piece;
    const Step step = feed(reader, rest, 1000);
    EXPECT_LT(reader.waiting(), 40'000U);
    if (step != Step::kRefused) continue;
    EXPECT_EQ(status_of(reader.problem()), expected) << reader.problem().error.message;
    return given;
  }
  ADD_FAILURE() << "never refused";
  return given;
}

TEST(RequestReader, BoundsEverythingThatAClientCanSend) {
  const std::string a(1000, 'a');
  const std::string encoding = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_LT(taken("", "a", 431), 17'000U);
  EXPECT_LT(taken("GET /", a, 431), 18'000U) << "a target";
  EXPECT_LT(taken("GET / HTTP/1.1\r\nHost: h\r\nx: ", a, 431), 18'000U) << "one line";
  EXPECT_LT(taken("GET / HTTP/1.1\r\nHost: h\r\n", "a:\r\n", 431), 1000U) << "many lines";
  EXPECT_LT(taken("GET / HTTP/1.1\r\nHost: h\r\n", "a: " + a + "\r\n", 431), 18'000U)
      << "lines of some size";
  EXPECT_LT(taken(encoding + "1;", a, 431), 18'000U) << "one extension";
  EXPECT_LT(taken(encoding, "1;" + a + "\r\nx\r\n", 431), 18'000U) << "an extension of each chunk";
  EXPECT_LT(taken(encoding, "0", 431), 18'000U) << "the size of a chunk";
  EXPECT_LT(taken(encoding + "0\r\n", "t: " + a + "\r\n", 431), 18'000U) << "trailers";
  EXPECT_LT(taken(encoding + "0\r\nt:", a, 431), 18'000U) << "one trailer";
  EXPECT_LT(taken(encoding, "3e8\r\n" + a + "\r\n", 413), 1'060'000U) << "a body";
  EXPECT_EQ(status(encoding + "0\r\n" +
                   [] {
                     std::string many;
                     for (int i = 0; i < 101; ++i) many += "t: x\r\n";
                     return many;
                   }() +
                   "\r\n"),
            431U);
  EXPECT_EQ(status(request("Content-Length: 1048577\r\n")), 413U) << "before any of it came";
}

TEST(RequestReader, GivesBackWhatARequestTook) {
  RequestReader reader({});
  const std::string text = request("Content-Length: 1000000\r\n", std::string(1'000'000, ' '));
  std::string_view rest = text;
  ASSERT_EQ(feed(reader, rest), Step::kWhole);
  EXPECT_GE(reader.held(), 1'000'000U);
  reader.next();
  EXPECT_LE(reader.held(), 8'192U);
}

TEST(RequestReader, BetweenRequestsHoldsNoMoreThanIsNotCounted) {
  for (std::size_t size = 0; size <= 16'000; size += 250) {
    RequestReader reader({});
    const std::string headers = "x: " + std::string(size, 'x') + "\r\n";
    const std::string text = request(headers + "Content-Length: 2\r\n", "{}");
    for (const std::size_t piece : {100U, 4096U}) {
      std::string_view rest = text;
      ASSERT_EQ(feed(reader, rest, piece), Step::kWhole) << size;
      reader.next();
      EXPECT_LE(reader.held(), RequestReader::kUncounted) << size;
      (void)reader.prepare(4096);  // as a connection waits for its next request
      EXPECT_LE(reader.held(), RequestReader::kUncounted) << size;
    }
  }
}

TEST(RequestReader, EmptyLinesAreNotABeginning) {
  RequestReader reader({});
  std::string_view rest = "\r\n\r\n";
  EXPECT_EQ(feed(reader, rest), Step::kMore);
  EXPECT_FALSE(reader.begun());
  rest = "G";
  EXPECT_EQ(feed(reader, rest), Step::kMore);
  EXPECT_TRUE(reader.begun());
}

}  // namespace
}  // namespace toolway::gateway::wire
