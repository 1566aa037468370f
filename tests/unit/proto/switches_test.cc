#include "proto/switches.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace toolway::proto {
namespace {

TEST(Switches, OfAToolAndOfItsNamespaceKeepItOff) {
  Switches switches;
  EXPECT_EQ(switches.off("shop", "buy"), nullptr);
  switches.take("shop.buy",
                encode({.reason = "being repaired", .by = "ann", .at = "2026-01-01T00:00:00Z"}));
  ASSERT_NE(switches.off("shop", "buy"), nullptr);
  EXPECT_EQ(switches.off("shop", "buy")->reason, "being repaired");
  EXPECT_EQ(switches.off("shop", "buy")->by, "ann");
  EXPECT_EQ(switches.off("shop", "sell"), nullptr);
  switches.take("shop", encode({.reason = "closed", .by = {}, .at = {}}));
  EXPECT_EQ(switches.off("shop", "sell")->reason, "closed");
  EXPECT_EQ(switches.off("shop", "buy")->reason, "being repaired");  // the nearer word
  EXPECT_EQ(switches.off("shops", "buy"), nullptr);
  switches.take("shop", "");
  EXPECT_EQ(switches.off("shop", "sell"), nullptr);
  EXPECT_NE(switches.off("shop", "buy"), nullptr);
}

TEST(Switches, WhatCannotBeReadIsOff) {
  for (const char* text : {"off", "{", "[]", "42", "\xff", " "}) {
    Switches switches;
    switches.take("shop", text);
    EXPECT_NE(switches.off("shop", "buy"), nullptr) << text;
  }
  EXPECT_EQ(decode_switch(R"({"reason":7,"by":"ann"})").by, "ann");
}

TEST(Switches, KeysAreNamespacesAndQualifiedNames) {
  for (const char* good : {"shop", "shop.buy", "a-b.c_d"})
    EXPECT_TRUE(valid_switch_key(good)) << good;
  for (const char* bad : {"", ".", "shop.", ".buy", "a.b.c", "a b", "shop.*", ">"})
    EXPECT_FALSE(valid_switch_key(bad)) << bad;
}

TEST(Switches, SayWhyInOneSentence) {
  EXPECT_EQ(switched_off("shop", "buy", {.reason = "being repaired", .by = "ann", .at = {}}),
            "tool 'shop.buy' is switched off: being repaired");
  EXPECT_EQ(switched_off("shop", "buy", {}), "tool 'shop.buy' is switched off");
}

}  // namespace
}  // namespace toolway::proto
