#include "persistence/collector/key_rows.h"

#include <gtest/gtest.h>

#include "persistence/collector/row.h"

namespace toolway::persistence::collector {
namespace {

TEST(KeyRows, HaveTheKeysIdFromItsSubject) {
  v1::ApiKeyRecord record;
  record.set_user_id("ann");
  record.set_sha256("digest");
  record.add_roles("agent");
  const auto payload = record.SerializeAsString();
  v1::ApiKeyRecord decoded;
  std::string bytes;
  const Message message{.source = Source::kApiKeys,
                        .subject = "$KV.api_keys.0123456789ab",
                        .payload = payload,
                        .incarnation = 1,
                        .sequence = 5};
  const auto row = encode_api_key(message, decoded, bytes);
  ASSERT_TRUE(row);
  EXPECT_EQ(std::string(row->key.begin(), row->key.begin() + 12), "0123456789ab");
  for (const auto* text : {"0123456789ab", "default", "ann", "digest", "agent"})
    EXPECT_NE(bytes.find(text), std::string::npos) << text;
}

TEST(KeyRows, AreMadeOfEntriesOfTheBucketOnly) {
  v1::ApiKeyRecord record;
  std::string bytes;
  for (const Message& wrong : {Message{.subject = "$KV.api_keys.", .payload = ""},
                               Message{.subject = "$KV.switches.x", .payload = ""},
                               Message{.subject = "$KV.api_keys.x", .payload = "\xff"}})
    EXPECT_FALSE(encode_api_key(wrong, record, bytes)) << wrong.subject;
  EXPECT_TRUE(bytes.empty());
}

}  // namespace
}  // namespace toolway::persistence::collector
