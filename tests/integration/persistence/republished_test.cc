#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

/// Calls that are on CALLS more than once.
class Republished : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
  }

  /// One call, published twice.
  Script twice() {
    Script script(clock_);
    auto call = script.call(R"({"a":1})");
    call.set_publication(3);
    script.add(collector::Source::kCalls,
               proto::call_subject("native", proto::Lane::kNormal, 0, script.session),
               proto::encode(call));
    return script;
  }
  std::string rows() { return query("SELECT sequence, arguments FROM calls"); }
};

TEST_F(Republished, IsOneRowAtItsNewestPublicationInAnyOrder) {
  collector::BatchWriter writer(url_, clock_);
  const auto forward = twice();
  write_all(writer, forward.messages());
  EXPECT_EQ(rows(), R"(2|{"a":1})");
  query("TRUNCATE calls");
  const auto backward = twice();
  auto messages = backward.messages();
  std::swap(messages[0], messages[1]);
  for (const auto& message : messages) {
    const auto report = write_all(writer, {message});
    EXPECT_TRUE(report.dead.empty());
  }
  EXPECT_EQ(rows(), R"(2|{"a":1})");
}

}  // namespace
}  // namespace toolway::persistence
