#include "workers/threads/spawner.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace toolway::workers::threads {
namespace {

TEST(Spawner, BeginsEachThreadAsItIsTold) {
  for (const bool told : {true, false}) {
    std::string order;
    std::promise<void> done;
    const auto spawner =
        spawner_with(told ? [&order] { order += "begin "; } : std::function<void()>());
    ASSERT_TRUE(spawner([&] {
      order += "body";
      done.set_value();
    }));
    done.get_future().wait();
    EXPECT_EQ(order, told ? "begin body" : "body");
  }
}

}  // namespace
}  // namespace toolway::workers::threads
