#include "cli/terminal/layout.h"

#include <gtest/gtest.h>

namespace toolway::cli::terminal {
namespace {

/// `column:width …`
std::string text_of(const std::vector<ColumnPlace>& places) {
  std::string text;
  for (const auto& place : places)
    text += std::to_string(place.column) + ":" + std::to_string(place.width) + " ";
  return text;
}

// An id, a tool, a state, a host that is dropped first, a description: 116 characters as it is.
const std::vector<ColumnNeed> kNeeds{{.natural = 8},
                                     {.natural = 20, .least = 12},
                                     {.natural = 10, .rank = 1},
                                     {.natural = 10, .rank = 2},
                                     {.natural = 60, .least = 20, .rank = 1}};

TEST(Layout, AnEndlessLineShowsEverythingWhole) {
  EXPECT_EQ(text_of(plan_columns(kNeeds, 0)), "0:8 1:20 2:10 3:10 4:60 ");
  EXPECT_EQ(text_of(plan_columns(kNeeds, 130)), "0:8 1:20 2:10 3:10 4:60 ");
}

TEST(Layout, AtEightyColumnsTheLongestIsCut) {
  EXPECT_EQ(text_of(plan_columns(kNeeds, 80)), "0:8 1:20 2:10 3:10 4:24 ");
}

TEST(Layout, ShortValuesAreWholeBeforeALongOneTakesTheRest) {
  EXPECT_EQ(text_of(plan_columns(kNeeds, 70)), "0:8 1:14 2:10 3:10 4:20 ");
}

TEST(Layout, NarrowTerminalsLoseTheHighestRankFirst) {
  EXPECT_EQ(text_of(plan_columns(kNeeds, 60)), "0:8 1:16 2:10 4:20 ");
  EXPECT_EQ(text_of(plan_columns(kNeeds, 40)), "0:8 1:18 2:10 ");
  EXPECT_EQ(text_of(plan_columns(kNeeds, 22)), "0:8 1:12 ");
}

TEST(Layout, WhatIsNeverCutStaysWhole) {
  EXPECT_EQ(text_of(plan_columns(kNeeds, 5)), "0:8 1:12 ");
  EXPECT_EQ(text_of(plan_columns({}, 80)), "");
}

TEST(Layout, EveryWidthThatCanHoldTheLeastIsKept) {
  for (std::size_t width = 22; width <= 200; ++width) {
    std::size_t sum = 0;
    for (const auto& place : plan_columns(kNeeds, width)) sum += place.width + kColumnGap;
    EXPECT_LE(sum - kColumnGap, width);
  }
}

}  // namespace
}  // namespace toolway::cli::terminal
