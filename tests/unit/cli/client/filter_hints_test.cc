#include "cli/client/filter_hints.h"

#include <gtest/gtest.h>

namespace toolway::cli::client {
namespace {

using Hints = std::vector<std::string>;

const OrderedJson kFleet = OrderedJson::parse(
    R"({"tools":[{"namespace":"time","name":"get_current_time"},{"namespace":"shop","name":"buy"}]})");

TEST(FilterHints, NameTheToolThatWasMeant) {
  EXPECT_EQ(filter_hints({.tool = "get_curent_time"}, kFleet),
            Hints{"the fleet has no tool 'get_curent_time' now; did you mean "
                  "'time.get_current_time'?"});
  EXPECT_EQ(near_tools("shop.by", kFleet), Hints{"shop.buy"});
  EXPECT_EQ(filter_hints({.tool = "quite_another_thing"}, kFleet),
            Hints{"the fleet has no tool 'quite_another_thing' now"});
}

TEST(FilterHints, AreSilentAboutWhatIsThere) {
  EXPECT_EQ(filter_hints({.tool = "buy", .namespace_ = "shop"}, kFleet), Hints{});
  EXPECT_EQ(filter_hints({.tool = "shop.buy", .error_code = "tool_failed"}, kFleet), Hints{});
  EXPECT_EQ(filter_hints({.error_code = "out_of_stock"}, kFleet), Hints{}) << "a tool's own code";
}

TEST(FilterHints, NameTheNamespaceAndTheCodeThatWereMeant) {
  EXPECT_EQ(filter_hints({.namespace_ = "tme", .error_code = "tool_faild"}, kFleet),
            (Hints{"no tool is in namespace 'tme' now; did you mean 'time'?",
                   "'tool_faild' is not one of Toolway's codes; did you mean 'tool_failed'?"}));
}

}  // namespace
}  // namespace toolway::cli::client
