#include "gateway/operators/spec_json.h"

#include <gtest/gtest.h>

#include "gateway/operators/switch_request.h"
#include "tests/support/sample_tools.h"

namespace toolway::gateway::operators {
namespace {

using persistence::specs::StoredSpec;

TEST(InForce, IsWhatTheRegistryOffersExactly) {
  const auto registry = tools::samples::sample_registry();
  const auto* tool = registry->list().front();
  StoredSpec spec{.ns = tool->spec().ns, .name = tool->spec().name, .digest = tool->digest};
  EXPECT_TRUE(in_force(*registry, spec));
  spec.enabled = false;
  EXPECT_FALSE(in_force(*registry, spec)) << "it is still offered";
  spec.enabled = true;
  spec.rollout = 10;
  EXPECT_FALSE(in_force(*registry, spec)) << "it has no candidate";
  spec.rollout = 0;
  spec.digest = "sha256:other";
  EXPECT_FALSE(in_force(*registry, spec));
  spec.name = "gone";
  EXPECT_FALSE(in_force(*registry, spec));
  spec.enabled = false;
  EXPECT_TRUE(in_force(*registry, spec));
}

TEST(InForce, OfACandidateItsShareToo) {
  const auto stable = tools::samples::sample_registry();
  const auto* tool = stable->list().front();
  const auto pointer = stable->find(tool->spec().ns, tool->spec().name);
  const auto with = *tools::model::Registry::of({pointer}, {{pointer, 10}});
  StoredSpec spec{.ns = tool->spec().ns, .name = tool->spec().name, .digest = tool->digest};
  spec.rollout = 10;
  EXPECT_TRUE(in_force(*with, spec));
  spec.rollout = 20;
  EXPECT_FALSE(in_force(*with, spec));
}

TEST(Switching, RefusesWhatTheFleetDoesNotHave) {
  const auto registry = tools::samples::sample_registry();
  const auto name = registry->list().front()->spec().qualified_name();
  EXPECT_TRUE(check_offered(name, *registry));
  EXPECT_TRUE(check_offered(name.substr(0, name.find('.')), *registry));
  const auto refused = check_offered(name + "x", *registry);
  ASSERT_FALSE(refused);
  EXPECT_EQ(wire::status_of(refused.error()), 404U);
  EXPECT_EQ(refused.error().suggestions.front(), name);
  EXPECT_NE(refused.error().error.message.find("Nothing was switched off"), std::string::npos);
  proto::Switches switches;
  switches.take(name, proto::encode(proto::Switch{}));
  EXPECT_TRUE(check_switched_off(name, switches));
  EXPECT_EQ(check_switched_off(name + "x", switches).error().suggestions.front(), name);
  EXPECT_FALSE(parse_switch_request(R"({"reason":5})"));
  EXPECT_EQ(parse_switch_request("")->by, "");
  EXPECT_FALSE(check_switch_name("a.b.c"));
}

}  // namespace
}  // namespace toolway::gateway::operators
