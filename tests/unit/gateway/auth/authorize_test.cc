#include "gateway/auth/authorize.h"

#include <gtest/gtest.h>

namespace toolway::gateway::auth {
namespace {

using extensions::grants_of;
using wire::Route;

wire::Caller caller(std::string_view method, std::vector<std::string> roles = {}) {
  wire::Caller made{.user_id = "ann"};
  made.roles = std::move(roles);
  made.method = method;
  return made;
}

extensions::PolicyPtr policy() {
  auto made = std::make_shared<extensions::Policy>();
  made->digest = "d";
  made->roles.emplace();
  (*made->roles)["operator"] = {"specs:*", "metrics:read", "fleet:read"};
  (*made->roles)["agent"] = {"call:shop.*"};
  return made;
}

unsigned status(Route route, const wire::Caller& of, const extensions::PolicyPtr& by) {
  const auto done = authorize(route, of, grants_of(by, of));
  return done ? 200 : wire::status_of(done.error());
}

TEST(Authorize, OperatorsRoutesNeedARoleThatSaysSo) {
  const auto by_key = caller(extensions::kByKey, {"operator"});
  EXPECT_EQ(status(Route::kPutSpecs, by_key, policy()), 200U);
  EXPECT_EQ(status(Route::kSwitchOff, by_key, policy()), 403U) << "another permission";
  EXPECT_EQ(status(Route::kPutSpecs, by_key, nullptr), 403U)
      << "without a policy there are no roles";
  EXPECT_EQ(status(Route::kPutSpecs, caller(extensions::kByJwt, {"agent"}), policy()), 403U);
  EXPECT_EQ(status(Route::kPutSpecs, caller(extensions::kByOperator), nullptr), 200U);
  for (const auto method : {extensions::kByHeader, extensions::kAnonymous})
    EXPECT_EQ(status(Route::kPutSpecs, caller(method, {"operator"}), policy()), 403U)
        << "a name proves nothing";
}

TEST(Authorize, MetricsAndTheFleetAreForThoseWhoMay) {
  const auto agent = caller(extensions::kByKey, {"agent"});
  for (const auto route : {Route::kMetrics, Route::kTools, Route::kWorkers}) {
    EXPECT_EQ(status(route, agent, policy()), 403U);
    EXPECT_EQ(status(route, caller(extensions::kByJwt, {"operator"}), policy()), 200U);
    EXPECT_EQ(status(route, caller(extensions::kByOperator), nullptr), 200U);
  }
  EXPECT_EQ(status(Route::kTools, agent, nullptr), 200U) << "no policy, no limit";
  auto limited = agent;
  limited.namespaces = {"shop"};
  EXPECT_EQ(status(Route::kTools, limited, nullptr), 403U) << "a key for tools alone";
  EXPECT_EQ(status(Route::kMetrics, caller(extensions::kAnonymous), policy()), 200U)
      << "where callers are not asked, a scraper is not either";
  EXPECT_EQ(status(Route::kPostCall, agent, policy()), 200U) << "decided elsewhere";
}

TEST(Authorize, MetricsNeedARoleAlsoWhereThePolicyHasNone) {
  auto without_roles = std::make_shared<extensions::Policy>();
  without_roles->digest = "d";
  for (const extensions::PolicyPtr& by :
       {extensions::PolicyPtr(), extensions::PolicyPtr(without_roles)})
    for (const auto method : {extensions::kByKey, extensions::kByJwt})
      EXPECT_EQ(status(Route::kMetrics, caller(method, {"operator"}), by), 403U) << method;
}

TEST(Authorize, OnlyProbesAndDocumentsArePublic) {
  for (std::size_t i = 0; i < wire::kRoutes; ++i) {
    const auto route = static_cast<Route>(i);
    const bool expected = route == Route::kLivez || route == Route::kReadyz ||
                          route == Route::kOpenApi || route == Route::kErrorPage ||
                          route == Route::kApiPage || route == Route::kFrontPage ||
                          route == Route::kMetadata || route == Route::kMcpMetadata ||
                          route == Route::kMcpSessionMetadata;
    EXPECT_EQ(is_public(route), expected) << wire::route_name(route);
  }
}

}  // namespace
}  // namespace toolway::gateway::auth
