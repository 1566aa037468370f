#include "bus/topology.h"

#include <gtest/gtest.h>

namespace toolway::bus {
namespace {

TEST(StreamOf, SaysWhichStreamOfTheLayoutStoresASubject) {
  for (const auto& stream : topology({.pools = {{"native", 1}}})) {
    ASSERT_TRUE(stream.subjects.ends_with('>')) << stream.subjects;
    const auto subject = stream.subjects.substr(0, stream.subjects.size() - 1) + "x";
    EXPECT_EQ(stream_of(subject), stream.name) << subject;
  }
}

TEST(StreamOf, IsEmptyForWhatNoStreamStores) {
  for (const char* subject : {"", "call", "calls.x", "$KV.", "$KV.session.x", "$KV.sessions2.x", "worker.native.w"}) {
    EXPECT_EQ(stream_of(subject), "") << subject;
  }
}

}  // namespace
}  // namespace toolway::bus
