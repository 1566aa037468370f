#include "persistence/audit/audit_row.h"

#include <gtest/gtest.h>

#include <set>

#include "base/sha256.h"

namespace toolway::persistence::audit {
namespace {

AuditRow sample() {
  return {.at_us = 1'795'632'709'986'679,
          .what = "call_ended",
          .id = "019c1f2e-0000-7000-8000-000000000001",
          .seq = 2,
          .tenant_id = "default",
          .user_id = "ann",
          .method = "key",
          .key_id = "0123456789ab",
          .session_id = "s",
          .object = "time.now",
          .outcome = "succeeded",
          .code = "",
          .details = R"({"policy":3})"};
}

std::string text_of(const AuditRow& row) {
  std::string text;
  write_canonical(text, row);
  return text;
}

TEST(AuditRow, HasOneForm) {
  EXPECT_EQ(text_of(sample()),
            "toolway audit 1\n16:1795632709986679\n10:call_ended\n"
            "36:019c1f2e-0000-7000-8000-000000000001\n1:2\n7:default\n3:ann\n3:key\n"
            "12:0123456789ab\n1:s\n8:time.now\n9:succeeded\n0:\n12:{\"policy\":3}\n");
  EXPECT_EQ(digest_of(sample()), sha256_bytes(text_of(sample())));
}

TEST(AuditRow, TellsNoDetailsFromEmptyOnes) {
  auto none = sample();
  none.details.reset();
  auto empty = sample();
  empty.details = "";
  EXPECT_NE(digest_of(none), digest_of(empty));
  EXPECT_TRUE(text_of(none).ends_with("0:\n-\n"));
}

TEST(AuditRow, HasAnotherDigestForAChangeOfAnyField) {
  std::set<std::string> digests{digest_of(sample())};
  std::size_t changes = 1;
  const auto changed = [&](auto change) {
    auto row = sample();
    change(row);
    digests.insert(digest_of(row));
    ++changes;
  };
  changed([](AuditRow& row) { ++row.at_us; });
  changed([](AuditRow& row) { row.what = "call_held"; });
  changed([](AuditRow& row) { row.id = "019c1f2e-0000-7000-8000-000000000002"; });
  changed([](AuditRow& row) { ++row.seq; });
  changed([](AuditRow& row) { row.details = "{}"; });
  for (std::size_t i = 0; i < sample().texts().size(); ++i)
    changed([i](AuditRow& row) { *row.texts()[i] = "x"; });
  // What moves from one field to the next.
  changed([](AuditRow& row) {
    row.tenant_id = "defaul";
    row.user_id = "tann";
  });
  EXPECT_EQ(digests.size(), changes);
}

}  // namespace
}  // namespace toolway::persistence::audit
