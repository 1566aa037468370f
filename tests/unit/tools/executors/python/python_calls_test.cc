// What Python tools may be, what they are told, and what they may say.
#include "tests/unit/tools/executors/python/python_fixture.h"

namespace toolway::tools::executors::python {
namespace {

class PythonCalls : public PythonTest {};

TEST_F(PythonCalls, RunsEveryKindOfFunction) {
  EXPECT_EQ(said(run("noop")), "null");
  EXPECT_EQ(said(run("add", {{"a", 1}})), "11");
  EXPECT_EQ(said(run("add", {{"a", 1}, {"b", 2}})), "3");
  EXPECT_EQ(said(run("add_async", {{"a", 1}, {"b", 2}})), "3");
  EXPECT_EQ(said(run("add_async", {{"a", 3}, {"b", 4}})), "7");
  EXPECT_EQ(said(run("Group.twice", {{"text", "ab"}})), R"("abab")");
  EXPECT_EQ(said(run("uses_thread")).find("python_exception"), std::string::npos);
  const Json value = {
      {"text", "ä\n\"€\u0000"}, {"list", {1, 2.5, true, nullptr}}, {"deep", {{"x", {{"y", {}}}}}}};
  EXPECT_EQ(said(run("echo", {{"value", value}})), to_text(value));
  EXPECT_EQ(said(run("stdin")), R"("")");
}

TEST_F(PythonCalls, ReportsWhatGeneratorsYield) {
  EXPECT_EQ(said(run("count", {{"to", 3}})), R"({"call":"local","counted":3})");
  ASSERT_EQ(reports_.size(), 3U);
  EXPECT_EQ(reports_[2].progress, 3);
  EXPECT_EQ(reports_[2].total, 3);
  EXPECT_EQ(reports_[2].message, "step 3");
  EXPECT_TRUE(reports_[2].data.is_null());
  EXPECT_EQ(said(run("count_async", {{"to", 2}})), R"({"counted":2})");
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_EQ(reports_[1].progress, 2);
  EXPECT_EQ(reports_[1].data, (Json{{"n", 1}}));
  EXPECT_EQ(said(run("count_async_without_result", {{"to", 1}})), "null");
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(reports_[0].data, Json(0));
}

TEST_F(PythonCalls, TellsTheToolAboutItsCall) {
  model::LocalContext local;
  local.session = "s\"1";
  local.user = "u1";
  local.call = "c1";
  local.call_limits.run = std::chrono::milliseconds(2500);
  local.secrets = {{"token", "xyzzy"}};
  const auto end = run(tool(spec("who")), Json::object(), local);
  EXPECT_EQ(
      said(end),
      R"({"attempt":1,"call":"c1","cancelled":false,"heartbeat":null,"key":"c1","other":null,)"
      R"("run":2.5,"secret":"xyzzy","session":"s\"1","user":"u1"})");
  EXPECT_EQ(said(run("report")), "null");
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(reports_[0].step, "first");
  EXPECT_EQ(reports_[0].data, Json::array({1}));
  EXPECT_EQ(log(), "2 a line\n3 an error 7\n");
}

TEST_F(PythonCalls, TellsTheToolWhichSpanItRunsIn) {
  model::LocalContext local;
  const auto traced = tool(spec("trace_context"));
  EXPECT_EQ(said(run(traced, Json::object(), local)), "[null,null]");
  local.span = TraceContext::root(true);
  EXPECT_EQ(said(run(traced, Json::object(), local)),
            to_text(Json::array({local.span.traceparent(), nullptr})));
  local.span.state = R"(vendor="1)";
  EXPECT_EQ(said(run(traced, Json::object(), local)),
            to_text(Json::array({local.span.traceparent(), local.span.state})));
}

TEST_F(PythonCalls, TakesAContextThatIsAnArgument) {
  model::Spec with = spec("context_as_argument");
  with.input_schema["properties"] = {{"context", {{"type", "string"}}}};
  EXPECT_EQ(said(run(tool(with), {{"context", "mine"}})), R"("mine")");
}

TEST_F(PythonCalls, ConvertsWhatTypeHintsPromise) {
  const Json point = {{"x", 1.5}, {"color", "blue"}, {"at", "2026-01-02T03:04:05Z"}};
  EXPECT_EQ(said(run("move", {{"point", point}, {"by", 2}})),
            R"({"at":"2026-01-02T03:04:05+00:00","color":"blue","x":3.5,"y":0.0})");
  EXPECT_EQ(said(run("move", {{"point", {{"x", 1}, {"color", "mauve"}}}, {"by", 2}})).substr(0, 17),
            "invalid_arguments");
  EXPECT_EQ(said(run("move", {{"point", {{"x", 1}, {"z", 3}}}, {"by", 2}})).substr(0, 17),
            "invalid_arguments");
}

TEST_F(PythonCalls, KeepsTracebacksOutOfTheResult) {
  EXPECT_EQ(said(run("raises", {{"message", "out of cheese"}})),
            "python_exception: ValueError: out of cheese");
  EXPECT_NE(log().find("in inner"), std::string::npos) << log();
  EXPECT_EQ(log().find("<toolway>"), std::string::npos) << log();
  EXPECT_EQ(log().front(), '3');
  const auto end = run("raises_tool_error");
  EXPECT_EQ(said(end), "quota_exceeded: no more today");
  EXPECT_TRUE(end.error().retryable);
  EXPECT_EQ(end.error().retry_after, std::chrono::milliseconds(1500));
  EXPECT_EQ(end.error().details, (Json{{"limit", 3}}));
  EXPECT_EQ(log(), "");
  EXPECT_EQ(said(run("raises_strange")), "python_exception: Strange: (it cannot say what)");
  EXPECT_EQ(said(run("add", {{"c", 1}})).substr(0, 38), "python_exception: TypeError: add() got");
}

TEST_F(PythonCalls, KeepsAToolsOwnErrorWhateverIsInIt) {
  const Json process = *run("process");
  const auto raised = [&](const char* what) { return run("raises_unusual", {{"what", what}}); };
  EXPECT_EQ(raised("timedelta").error().retry_after, std::chrono::milliseconds(2000));
  for (const char* what : {"5s", "5", "inf"}) {
    const auto end = raised(what);
    EXPECT_EQ(said(end), "later: m") << what;
    EXPECT_FALSE(end.error().retry_after) << what;
  }
  EXPECT_EQ(said(raised("huge")), "later: m");
  const auto later = raised("set later");
  EXPECT_EQ(said(later), "a_b: 5");
  EXPECT_FALSE(later.error().retry_after);
  EXPECT_EQ(said(raised("set")),
            "own_code: m (details left out: at /seen: a value of type set is not JSON)");
  EXPECT_EQ(said(raised("nan")), "own_code: m (details left out: nan is not JSON)");
  EXPECT_EQ(said(raised("large details")),
            "own_code: m (5000002 bytes of details left out; the limit is 65536)");
  const auto large = said(raised("large message"));
  EXPECT_TRUE(large.starts_with("own_code: mmm") && large.ends_with("m…")) << large.size();
  EXPECT_EQ(said(raised("surrogate")), "own_code: m?");
  EXPECT_EQ(said(raised("unmade")), "tool_error: ");
  EXPECT_EQ(said(raised("")), "tool_error: m");
  EXPECT_EQ(said(raised("has space")), "has_space: m");
  EXPECT_EQ(run("process"), process);  // none of it ended the interpreter
}

TEST_F(PythonCalls, NamesTheArgumentThatDoesNotConvert) {
  EXPECT_EQ(said(run("when", {{"at", "2024-13-01"}})),
            "invalid_arguments: at: '2024-13-01' is not a valid datetime");
}

TEST_F(PythonCalls, FillsInTheDefaultsOfItsSchema) {
  model::Spec with = spec("defaulted");
  with.input_schema["properties"] = {{"at", {{"default", "2026-01-02"}}},
                                     {"color", {{"default", nullptr}}},
                                     {"size", {{"default", 3}}},
                                     {"name", {{"type", "string"}}}};
  EXPECT_EQ(said(run(tool(with))), R"({"at":"2026-01-02","color":null,"size":3})");
  EXPECT_EQ(said(run(tool(with), {{"at", "2026-05-06"}, {"size", 4}, {"name", "x"}})),
            R"({"at":"2026-05-06","color":null,"name":"x","size":4})");
}

TEST_F(PythonCalls, LogsWhatIsPrintedAnywhere) {
  EXPECT_EQ(said(run("prints", {{"lines", 2}})), "null");
  for (const char* line : {"1 line 0\n", "1 line 1\n", "1 raw out\n", "2 raw \xEF\xBF\xBD err\n",
                           "1 from a child\n", "2 to stderr, without an end\n", "2 a record\n"}) {
    EXPECT_NE(log().find(line), std::string::npos) << line << " in\n" << log();
  }
  EXPECT_EQ(said(run("noop")), "null");
  EXPECT_EQ(log(), "");
  EXPECT_EQ(said(run("long_line")), "null");
  ASSERT_EQ(logged_.size(), 1U);
  EXPECT_LT(logged_[0].second.size(), 4200U);
  EXPECT_NE(logged_[0].second.find("ä … (195904 bytes more)"), std::string::npos)
      << logged_[0].second.substr(4000);
}

TEST_F(PythonCalls, GivesNothingOfOurEnvironment) {
  ASSERT_EQ(setenv("TOOLWAY_TEST_SECRET", "xyzzy", 1), 0);
  PythonOptions with = options();
  with.environment = {"REGION=eu"};
  use(with);
  EXPECT_EQ(said(run("environment")),
            R"({"LANG":"C.UTF-8","PATH":"/usr/local/bin:/usr/bin:/bin","REGION":"eu"})");
}

TEST_F(PythonCalls, SaysWhyNothingCanBeImported) {
  EXPECT_EQ(
      said(run(tool(spec("f", "no_such_module")))),
      "python_import_failed: there is no module no_such_module in the directories that tools are imported from (--python-path)");
  EXPECT_EQ(said(run(tool(spec("nothing")))),
            "python_import_failed: module sample_tools has no nothing");
  EXPECT_EQ(said(run(tool(spec("KEPT")))),
            "python_import_failed: KEPT of module sample_tools is not a function");
  EXPECT_EQ(
      said(run(tool(spec("f", "broken_module")))),
      "python_import_failed: module broken_module cannot be imported: RuntimeError: this module cannot be imported");
  EXPECT_NE(log().find("on the way to failure"), std::string::npos);
  EXPECT_NE(log().find("Traceback"), std::string::npos);
}

TEST_F(PythonCalls, SaysWhyAnInterpreterDoesNotStart) {
  PythonOptions with = options();
  with.interpreter = "/nowhere/bin/python3";
  auto made = make_python_kind(with);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kNotFound);
  EXPECT_NE(made.error().message.find("/nowhere/bin/python3"), std::string::npos)
      << made.error().message;
  with.interpreter = "/bin/false";
  made = make_python_kind(with);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("/bin/false"), std::string::npos);
  EXPECT_NE(made.error().message.find("status 1"), std::string::npos) << made.error().message;
}

TEST_F(PythonCalls, RefusesResultsThatAreNotJson) {
  const std::pair<const char*, const char*> wrong[] = {
      {"nan", "at /a/1: nan is not JSON"},
      {"set", "at /a: a value of type set is not JSON"},
      {"bytes", "at /b: a value of type bytes is not JSON"},
      {"surrogate", "at /0: a string with an unpaired surrogate"},
      {"key", "a key of type tuple"},
      {"object", "a value of type object is not JSON"},
      {"function", "a value of type function is not JSON"},
      {"deep", "nested more than 64 levels deep"}};
  for (const auto& [kind, reason] : wrong) {
    const auto text = said(run("bad_result", {{"kind", kind}}));
    EXPECT_EQ(text.substr(0, 15), "invalid_result:") << text;
    EXPECT_NE(text.find(reason), std::string::npos) << text;
  }
  EXPECT_NE(
      said(run("circle"))
          .find("invalid_result: the tool's result cannot be sent: at /0: it contains itself"),
      std::string::npos)
      << said(run("circle"));
  EXPECT_EQ(run("bad_result", {{"kind", "big"}})->get<double>(), 1180591620717411303424.0);
}

TEST_F(PythonCalls, BoundsResults) {
  model::Spec with = spec("large");
  with.result.max_bytes = 1000;
  EXPECT_EQ(run(tool(with), {{"size", 998}})->get<std::string>().size(), 998U);
  EXPECT_EQ(said(run(tool(with), {{"size", 999}})).substr(0, 17), "result_too_large:");
  EXPECT_EQ(run("large", {{"size", 50'000'000}})->get<std::string>().size(), 50'000'000U);
  const std::string argument(500'000, 'a');
  EXPECT_EQ(*run("echo", {{"value", argument}}), Json(argument));
}

}  // namespace
}  // namespace toolway::tools::executors::python
