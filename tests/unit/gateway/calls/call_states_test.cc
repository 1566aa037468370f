#include "gateway/calls/call_states.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/paths.h"

namespace toolway::gateway::calls {
namespace {

/// The third column of the page's table of states: what `explain` calls each.
std::vector<std::string> states_of_the_page() {
  std::ifstream page(TOOLWAY_SOURCE_DIR "/docs/states.md");
  std::vector<std::string> states;
  std::string line;
  while (std::getline(page, line) && line !=
                                         "| state | record | `explain` | answer to the request "
                                         "| event on the stream | row in Postgres |") {
  }
  while (std::getline(page, line) && line.starts_with('|')) {
    std::size_t column = 0;
    for (int i = 0; i < 3; ++i) column = line.find('|', column) + 1;
    const auto begin = column + 2;  // after a space and a backtick
    if (line.substr(column, 2) != " `") continue;
    auto state = line.substr(begin, line.find('`', begin) - begin);
    // One that asks runs as well: two rows may have the same state.
    if (states.empty() || states.back() != state) states.push_back(std::move(state));
  }
  return states;
}

TEST(CallStates, AreThoseOfThePage) {
  using namespace call_state;
  auto states = states_of_the_page();
  states.emplace_back(kUnknown);  // in the text under the table: it is not a state of the call
  EXPECT_EQ(states, std::vector<std::string>(kExplained.begin(), kExplained.end()));
}

}  // namespace
}  // namespace toolway::gateway::calls
