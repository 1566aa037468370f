#include "persistence/postgres/bounded_session.h"

#include <gtest/gtest.h>

namespace toolway::persistence::postgres {
namespace {

TEST(BoundedUrl, AddsLimitsAndQuotesNothing) {
  const auto uri = bounded_url("postgresql://u:secret@127.0.0.1:1/db");
  ASSERT_TRUE(uri);
  EXPECT_NE(uri->find("?connect_timeout=2&"), std::string::npos);
  EXPECT_NE(bounded_url("postgresql://127.0.0.1/db", std::chrono::seconds(15))
                ->find("connect_timeout=15&"),
            std::string::npos);
  const auto own = bounded_url("postgresql://127.0.0.1/db?connect_timeout=9");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->find("connect_timeout=2"), std::string::npos);
  const auto bad = bounded_url("postgresql://u:secret@127.0.0.1:1/db?nonsense=secret");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace toolway::persistence::postgres
