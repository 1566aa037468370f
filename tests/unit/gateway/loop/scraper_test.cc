#include "gateway/loop/scraper.h"

#include <gtest/gtest.h>

#include <vector>

namespace toolway::gateway::loop {
namespace {

TEST(Scraper, GivesPlacesUntilAsManyAreHeld) {
  const auto metrics = monitoring::make_metrics("test");
  const Scraper scraper(*metrics, std::make_shared<IoPost>(std::make_shared<asio::io_context>(1)));
  std::vector<std::shared_ptr<const void>> held;
  while (auto place = scraper.place()) held.push_back(std::move(place));
  EXPECT_EQ(held.size(), 8U);
  held.pop_back();
  EXPECT_TRUE(scraper.place());
}

}  // namespace
}  // namespace toolway::gateway::loop
