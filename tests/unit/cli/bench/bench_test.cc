#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/bench/latencies.h"
#include "cli/bench/ledger.h"
#include "cli/bench/recorded.h"
#include "cli/bench/slo.h"
#include "cli/bench/wire.h"

namespace toolway::cli {
namespace {

TEST(Slo, ReadsLatenciesInAnyUnit) {
  for (const char* text :
       {"completion.p99<15ms", "completion.p99 < 0.015 s", "completion.p99<15000us"}) {
    const auto slo = parse_slo(text);
    ASSERT_TRUE(slo) << slo.error().message;
    EXPECT_EQ(slo->metric, "completion.p99");
    EXPECT_DOUBLE_EQ(slo->bound, 15);
    EXPECT_TRUE(slo->holds(14.9));
    EXPECT_FALSE(slo->holds(15));
  }
}

TEST(Slo, KnowsEveryRelation) {
  EXPECT_TRUE(parse_slo("recorded.p999<=5ms")->holds(5));
  EXPECT_TRUE(parse_slo("calls_per_s>7000")->holds(7001));
  EXPECT_FALSE(parse_slo("calls_per_s>7000")->holds(7000));
  EXPECT_TRUE(parse_slo("floor_ratio>=0.35")->holds(0.35));
  EXPECT_TRUE(parse_slo("errors==0")->holds(0));
  EXPECT_FALSE(parse_slo("errors==0")->holds(1));
}

TEST(Slo, RefusesWhatItCannotMean) {
  for (const char* text : {"", "completion.p99", "completion.p99<15", "completion.p98<15ms",
                           "speed<1ms", "errors=0", "errors==0ms", "completion.p99<ms"})
    EXPECT_FALSE(parse_slo(text)) << text;
}

TEST(Latencies, PercentilesAreNearestRank) {
  Latencies latencies;
  EXPECT_EQ(latencies.percentile(0.5), 0);
  for (int i = 1000; i >= 1; --i) latencies.add(i);
  EXPECT_EQ(latencies.percentile(0.5), 500);
  EXPECT_EQ(latencies.percentile(0.99), 990);
  EXPECT_EQ(latencies.percentile(0.999), 999);
  EXPECT_EQ(latencies.percentile(1), 1000);
  latencies.add(5000);
  EXPECT_EQ(latencies.percentile(1), 5000);
}

TEST(Ledger, FindsACallByItsId) {
  Ledger ledger;
  const std::string id = "01890a5d-ac96-774b-bcce-b302099a8057";
  ASSERT_NE(ledger.of(id), nullptr);
  ledger.of(id)->sent = 7;
  EXPECT_EQ(ledger.of(id)->sent, 7);
  EXPECT_EQ(ledger.of("01890a5d-ac96-774b-bcce-b302099a8058")->sent, 0);
  EXPECT_EQ(ledger.of("not an id"), nullptr);
  EXPECT_EQ(ledger.of(""), nullptr);
  EXPECT_EQ(ledger.entries().size(), 2U);
}

TEST(Wire, TakesAnAnswerOnlyWhenItIsWhole) {
  const std::string answer = "HTTP/1.1 202 Accepted\r\ncontent-length: 5\r\nX: y\r\n\r\nhello";
  for (std::size_t size = 0; size < answer.size(); ++size)
    EXPECT_EQ(parse_answer(answer.substr(0, size)).size, 0U) << size;
  const auto text = answer + "HTTP/1.1";
  const auto parsed = parse_answer(text);
  EXPECT_EQ(parsed.status, 202);
  EXPECT_EQ(parsed.body, "hello");
  EXPECT_EQ(parsed.size, answer.size());
}

TEST(Wire, FindsFieldsInOrder) {
  const std::string json = R"({"calls":[{"call_id":"a"},{"call_id": "b"}]})";
  std::size_t at = 0;
  EXPECT_EQ(next_text_field(json, "\"call_id\"", at), "a");
  EXPECT_EQ(next_text_field(json, "\"call_id\"", at), "b");
  EXPECT_EQ(next_text_field(json, "\"call_id\"", at), "");
}

TEST(Wire, ReadsChunkedEventsCutAnywhere) {
  const std::string first = "id: 1-5\nevent: started\ndata: {\"call_id\":\"x\"}\n\n: keep\n\n";
  const std::string second = "id: 1-6\nevent: completed\ndata: {}\n\n";
  const auto chunk = [](const std::string& text) {
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", text.size());
    return size + text + "\r\n";
  };
  const auto all = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(first) +
                   chunk(second.substr(0, 9)) + chunk(second.substr(9)) + "0\r\n\r\n";
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    WireEvents events;
    std::vector<std::string> seen;
    const auto note = [&](const WireEvents::Event& event) {
      seen.push_back(std::string(event.type) + std::string(event.data));
    };
    ASSERT_TRUE(events.feed(all.substr(0, cut), note)) << cut;
    ASSERT_TRUE(events.feed(all.substr(cut), note)) << cut;
    EXPECT_EQ(seen, (std::vector<std::string>{"started{\"call_id\":\"x\"}", "completed{}"})) << cut;
    EXPECT_EQ(events.last_id(), "1-6");
    EXPECT_TRUE(events.ended());
  }
}

TEST(Wire, RefusesAnAnswerThatIsNoStream) {
  WireEvents events;
  EXPECT_FALSE(
      events.feed("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", [](const auto&) {}));
}

TEST(Recorded, ReadsTimesToTheMicrosecond) {
  EXPECT_EQ(parse_time_us("1970-01-01T00:00:01.000002Z"), 1'000'002);
  EXPECT_EQ(parse_time_us("2026-01-31T12:00:00.000000Z"), 1'769'860'800'000'000);
  EXPECT_EQ(parse_time_us("yesterday"), 0);
}

}  // namespace
}  // namespace toolway::cli
