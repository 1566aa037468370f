// A session gains namespaces, over real NATS and Postgres, with two gateways.
#include "tests/integration/sessions/sessions_fixture.h"

namespace toolway {
namespace {

class Namespaces : public test::SessionsTest {
 protected:
  test::Reply add(const Face& face, const std::string& session, const std::string& body) {
    return ask(face, "POST " + path(session, "/namespaces"), body);
  }
  /// Within the 2 s that other gateways have.
  template <typename Condition>
  static bool comes_true(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < deadline)
      if (condition()) return true;
    return condition();
  }
  test::Reply open_with(const std::string& session, const std::string& namespaces) {
    return ask(one_, "POST /v1/sessions",
               R"({"session_id":")" + session + R"(","namespaces":)" + namespaces + "}");
  }
};

TEST_F(Namespaces, AreSeenByEveryGatewayAndInPostgres) {
  ASSERT_EQ(201, open_with("s", R"(["time"])").status);
  ASSERT_TRUE(ask(two_, "GET " + path("s", "/tools")).body["tools"].empty());
  const auto added = add(one_, "s", R"({"namespaces":["sample","sample"]})");
  ASSERT_EQ(200, added.status) << added.body.dump();
  EXPECT_EQ(Json({"sample", "time"}), added.body["namespaces"]);
  EXPECT_EQ(3U, added.body["tools"].size());
  EXPECT_TRUE(comes_true([&] {
    return ask(two_, "GET " + path("s", "/tools")).body["tools"].size() == 3;
  })) << "on the other gateway";
  run_quick(two_, "s");
  // Nothing changes when it has them already.
  const auto again = add(two_, "s", R"({"namespaces":["time"]})");
  EXPECT_EQ(200, again.status);
  EXPECT_EQ(added.body["updated_at"], again.body["updated_at"]);
  // Opening it with what it has now succeeds; with what it had it conflicts.
  EXPECT_EQ(200, open_with("s", R"(["time","sample"])").status);
  EXPECT_EQ(409, open_with("s", R"(["time"])").status);
  EXPECT_TRUE(comes_true([&] {
    const auto listed = ask(one_, "GET /v1/sessions").body["sessions"];
    return listed.size() == 1 && listed[0]["namespaces"] == Json({"sample", "time"});
  })) << "in Postgres";
}

TEST_F(Namespaces, SurviveClosingAndRestoring) {
  ASSERT_EQ(201, open_with("s", R"(["time"])").status);
  ASSERT_EQ(200, add(one_, "s", R"({"namespaces":["sample"]})").status);
  ASSERT_EQ(200, ask(two_, "POST " + path("s", "/close")).status);
  const auto closed = add(one_, "s", R"({"namespaces":["other"]})");
  EXPECT_EQ(409, closed.status);
  EXPECT_EQ("session_closed", closed.body["code"]);
  const auto restored = ask(one_, "POST " + path("s", "/restore"));
  EXPECT_EQ(Json({"sample", "time"}), restored.body["namespaces"]) << restored.body.dump();
  EXPECT_EQ(false, restored.body["tools_changed"]);
}

TEST_F(Namespaces, OfTwoGatewaysAtOnceAreAllKept) {
  ASSERT_EQ(201, open_with("s", R"(["time"])").status);
  const auto add_some = [this](const Face& face, const std::string& prefix) {
    for (int i = 0; i < 10; ++i) {
      const auto reply =
          add(face, "s", R"({"namespaces":[")" + prefix + std::to_string(i) + R"("]})");
      EXPECT_EQ(200, reply.status) << reply.body.dump();
    }
  };
  std::thread other([&] { add_some(two_, "b"); });
  add_some(one_, "a");
  other.join();
  EXPECT_EQ(21U, ask(one_, "GET " + path("s", "")).body["namespaces"].size());
}

TEST_F(Namespaces, RefuseWhatASessionCannotHave) {
  ASSERT_EQ(201, open_with("s", R"(["time"])").status);
  for (const char* wrong :
       {"{}", R"({"namespaces":[]})", R"({"namespaces":["a/b"]})", R"({"namespaces":"a"})",
        R"({"namespaces":["a"],"more":1})", R"({"namespaces":[null]})"}) {
    EXPECT_EQ("invalid_request", add(one_, "s", wrong).body["code"]) << wrong;
  }
  EXPECT_EQ("malformed_json", add(one_, "s", R"({"namespaces":)").body["code"]);
  Json many = Json::array();
  for (int i = 0; i < 32; ++i) many.push_back("n" + std::to_string(i));
  const auto beyond = add(one_, "s", Json{{"namespaces", many}}.dump());
  EXPECT_EQ("invalid_request", beyond.body["code"]) << "33 with the one it has";
  EXPECT_EQ(404, add(one_, "nobodys", R"({"namespaces":["a"]})").status);
  const auto others = ask(one_, "POST " + path("s", "/namespaces"), R"({"namespaces":["a"]})",
                          "x-toolway-user: eve\r\n");
  EXPECT_EQ(404, others.status) << "another user's";
  const auto unknown = add(one_, "s", R"({"namespaces":["sampel"]})");
  EXPECT_EQ(200, unknown.status);
  EXPECT_NE(unknown.body["warnings"].dump().find("did you mean 'sample'?"), std::string::npos);
  EXPECT_EQ(Json({"*"}), add(one_, "s", R"({"namespaces":["*"]})").body["namespaces"]);
  EXPECT_EQ(Json({"*"}), add(two_, "s", R"({"namespaces":["late"]})").body["namespaces"]);
}

}  // namespace
}  // namespace toolway
