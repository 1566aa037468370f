#include "gateway/mcp/seen_offers.h"

#include <gtest/gtest.h>

#include "tests/unit/gateway/mcp/offers_of.h"

namespace toolway::gateway::mcp {
namespace {

constexpr const char* kFile = R"(
prompts:
  - {name: p, messages: [{role: user, content: {type: text, text: one}}]}
  - {name: p, namespace: other, messages: [{role: user, content: {type: text, text: two}}]}
resources:
  - {uri: "test://a", name: a, text: A}
  - {uri: "test://a", namespace: other, name: a, text: B}
  - {uri_template: "test://{id}/b", name: b, text: "B of {{id}}"}
)";

std::string with(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

class SeeingOffers : public testing::Test {
 protected:
  static SeenOffers see(std::string_view text, std::vector<std::string> namespaces = {"default"}) {
    return {1, test::offers_of(text), namespaces, nullptr};
  }
};

TEST_F(SeeingOffers, ASessionSeesItsNamespacesAlone) {
  const auto seen = see(kFile);
  EXPECT_EQ(seen.prompts().size(), 1U);
  EXPECT_EQ(seen.resource("test://a").resource->text, "A");
  EXPECT_EQ(seen.resource("test://7/b").variables, (Json{{"id", "7"}}));
  EXPECT_EQ(see(kFile, {"other"}).resource("test://a").resource->text, "B");
  EXPECT_EQ(see(kFile, {"other"}).content_of("test://7/b"), 0U);
  EXPECT_EQ(see(kFile, {"*"}).resource("test://a").resource->text, "A") << "the first one";
  EXPECT_EQ(see(kFile, {}).prompt("p"), nullptr);
}

TEST_F(SeeingOffers, ADigestFollowsWhatIsSeenAndNothingElse) {
  const auto before = see(kFile);
  const auto same = see(kFile);
  EXPECT_EQ(same.prompts_digest(), before.prompts_digest());
  EXPECT_EQ(same.resources_digest(), before.resources_digest());
  EXPECT_EQ(same.content_of("test://a"), before.content_of("test://a"));

  const auto elsewhere = see(with(with(kFile, "text: two", "text: three"), "text: B}", "text: C}"));
  EXPECT_EQ(elsewhere.prompts_digest(), before.prompts_digest());
  EXPECT_EQ(elsewhere.resources_digest(), before.resources_digest());

  const auto text = see(with(kFile, "text: A", "text: AA"));
  EXPECT_NE(text.content_of("test://a"), before.content_of("test://a"));
  EXPECT_EQ(text.content_of("test://7/b"), before.content_of("test://7/b"));
  EXPECT_EQ(text.resources_digest(), before.resources_digest()) << "the list says the same";

  const auto title = see(with(kFile, "name: a,", "name: a, title: T,"));
  EXPECT_NE(title.resources_digest(), before.resources_digest());
  EXPECT_EQ(title.content_of("test://a"), before.content_of("test://a"));

  EXPECT_NE(see(with(kFile, "text: one", "text: else")).prompts_digest(), before.prompts_digest());
}

}  // namespace
}  // namespace toolway::gateway::mcp
