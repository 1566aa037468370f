#include "gateway/loop/scraper.h"

#include <gtest/gtest.h>

#include <vector>

namespace toolway::gateway::loop {
namespace {

TEST(Scraper, GivesPlacesUntilAsManyAreHeld) {
  asio::io_context io;
  const auto metrics = monitoring::make_metrics("test");
  const Scraper scraper(*metrics, std::make_shared<IoPost>(io));
  std::vector<std::shared_ptr<const void>> held;
  while (auto place = scraper.place()) held.push_back(std::move(place));
  EXPECT_EQ(held.size(), 8U);
  held.pop_back();
  EXPECT_TRUE(scraper.place());
}

}  // namespace
}  // namespace toolway::gateway::loop
