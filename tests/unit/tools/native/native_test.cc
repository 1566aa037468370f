#include "tools/native/native.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tests/support/sample_tools.h"
#include "tools/model/local_context.h"

namespace toolway::tools::native {
namespace {

enum class Color { red, green };
BOOST_DESCRIBE_ENUM(Color, red, green)

struct Point {
  double x = 0;
  double y = 0;
};
BOOST_DESCRIBE_STRUCT(Point, (), (x, y))

struct Everything {
  static constexpr ToolInfo info{.name = "everything",
                                 .ns = "test",
                                 .description = "d",
                                 .topic = "t",
                                 .category = "c",
                                 .version = "2",
                                 .permissions = {"read", "write"},
                                 .dangerous = true};
  struct Args {
    bool flag = false;
    std::int32_t small = 0;
    std::uint8_t byte = 0;
    std::int64_t big = 0;
    std::uint64_t huge = 0;
    double number = 0;
    std::string text;
    Color color = Color::red;
    std::optional<std::string> maybe;
    std::vector<std::int64_t> list;
    std::map<std::string, double> map;
    Point point;
    std::vector<Point> path;
    Json anything;
    std::int64_t limit = 10;
    static constexpr auto fields = std::to_array<Field>({
        {.name = "text",
         .description = "Some text",
         .min_length = 1,
         .max_length = 9,
         .pattern = "^t"},
        {.name = "list", .has_default = true, .max_length = 3},
        {.name = "limit", .has_default = true, .minimum = 1, .maximum = 99.5},
        {.name = "anything", .has_default = true},
    });
  };
  Result<Args> run(const Args& args, model::ToolContext&) const { return args; }
};
BOOST_DESCRIBE_STRUCT(Everything::Args, (),
                      (flag, small, byte, big, huge, number, text, color, maybe, list, map, point,
                       path, anything, limit))

const Json kEverything =
    Json::parse(R"({"flag": true, "small": -5, "byte": 255, "big": -9007199254740993,
  "huge": 18446744073709551615, "number": 1.5, "text": "text", "color": "green", "map": {"a": 1.0},
  "point": {"x": 1.0, "y": 2.0}, "path": [{"x": 3.0, "y": 4.0}], "anything": [null]})");

model::Execution run(const std::shared_ptr<const model::Tool>& tool, const Json& arguments) {
  model::LocalContext context;
  model::ProgressTo nowhere({});
  return tool->execute(arguments, context, nowhere);
}

std::string error_of(const std::shared_ptr<const model::Tool>& tool, const Json& arguments) {
  const auto execution = run(tool, arguments);
  return execution ? "succeeded" : execution.error().code + ": " + execution.error().message;
}

TEST(NativeTool, DerivesItsSchemaFromTheTypes) {
  const auto tool = make_native_tool<Everything>();
  const Json schema(tool->spec().input_schema);
  const Json expected = Json::parse(R"({
    "type": "object", "additionalProperties": false,
    "properties": {
      "flag": {"type": "boolean"},
      "small": {"type": "integer", "minimum": -2147483648, "maximum": 2147483647},
      "byte": {"type": "integer", "minimum": 0, "maximum": 255},
      "big": {"type": "integer"},
      "huge": {"type": "integer", "minimum": 0},
      "number": {"type": "number"},
      "text": {"type": "string", "description": "Some text", "minLength": 1, "maxLength": 9, "pattern": "^t"},
      "color": {"type": "string", "enum": ["red", "green"]},
      "maybe": {"type": "string"},
      "list": {"type": "array", "items": {"type": "integer"}, "maxItems": 3, "default": []},
      "map": {"type": "object", "additionalProperties": {"type": "number"}},
      "point": {"type": "object", "additionalProperties": false, "required": ["x", "y"],
                "properties": {"x": {"type": "number"}, "y": {"type": "number"}}},
      "path": {"type": "array", "items": {"type": "object", "additionalProperties": false,
               "required": ["x", "y"], "properties": {"x": {"type": "number"}, "y": {"type": "number"}}}},
      "anything": {"default": null},
      "limit": {"type": "integer", "minimum": 1, "maximum": 99.5, "default": 10}},
    "required": ["flag", "small", "byte", "big", "huge", "number", "text", "color", "map", "point", "path"]})");
  EXPECT_EQ(schema, expected) << Json::diff(expected, schema).dump(1);
  EXPECT_EQ(tool->spec().input_schema["properties"].begin().key(), "flag");  // in order
}

TEST(NativeTool, TakesItsSpecFromItsInfo) {
  const auto tool = make_native_tool<Everything>();
  const model::Spec& spec = tool->spec();
  EXPECT_EQ(spec.qualified_name(), "test.everything");
  EXPECT_EQ(spec.description, "d");
  EXPECT_EQ(spec.topic, "t");
  EXPECT_EQ(spec.category, "c");
  EXPECT_EQ(spec.version, "2");
  EXPECT_EQ(spec.permissions, (std::vector<std::string>{"read", "write"}));
  EXPECT_TRUE(spec.dangerous);
  EXPECT_FALSE(spec.idempotent);
  EXPECT_FALSE(spec.multi_step);
  EXPECT_EQ(spec.kind, model::Kind::kNative);
  EXPECT_EQ(spec.limits.run, std::chrono::seconds(60));
}

TEST(NativeTool, ReadsArgumentsAndWritesResults) {
  const auto execution = run(make_native_tool<Everything>(), kEverything);
  ASSERT_TRUE(execution) << execution.error().message;
  Json expected = kEverything;
  expected["list"] = Json::array();
  expected["limit"] = 10;
  EXPECT_EQ(*execution, expected);  // `maybe` was absent, and is absent
}

TEST(NativeTool, ReadsIntegersThatAreWrittenAsNumbers) {
  const auto tool = make_native_tool<Everything>();
  Json arguments = kEverything;
  arguments["small"] = 3.0;
  arguments["huge"] = 1e3;
  const auto execution = run(tool, arguments);
  ASSERT_TRUE(execution) << execution.error().message;
  EXPECT_EQ((*execution)["small"], 3);
  EXPECT_EQ((*execution)["huge"], 1000);
}

TEST(NativeTool, RefusesNumbersThatDoNotFitTheirType) {
  const auto tool = make_native_tool<Everything>();
  const auto with = [](const char* name, const Json& value) {
    Json arguments = kEverything;
    arguments[name] = value;
    return arguments;
  };
  EXPECT_EQ(
      error_of(tool, with("big", 9223372036854775808ULL)),
      "invalid_arguments: /big: expected an integer from -9223372036854775808 to 9223372036854775807");
  EXPECT_TRUE(error_of(tool, with("big", 1e300)).starts_with("invalid_arguments: /big: expected"));
  EXPECT_TRUE(
      error_of(tool, with("huge", 1e300)).starts_with("invalid_arguments: /huge: expected"));
  EXPECT_TRUE(error_of(tool, with("huge", -1))
                  .starts_with("invalid_arguments: /huge: expected at least 0"));
  EXPECT_TRUE(error_of(tool, with("byte", 256))
                  .starts_with("invalid_arguments: /byte: expected at most 255"));
}

TEST(NativeTool, RefusesArgumentsThatDoNotMatch) {
  const auto tool = make_native_tool<Everything>();
  Json arguments = kEverything;
  arguments["color"] = "blue";
  arguments["path"][0].erase("x");
  arguments.erase("flag");
  arguments["extra"] = 1;
  const auto text = error_of(tool, arguments);
  EXPECT_TRUE(text.starts_with("invalid_arguments: ")) << text;
  for (const char* part :
       {"missing required property 'flag'", "/color: expected one of \"red\", \"green\"",
        "/path/0: missing required property 'x'", "unknown property 'extra'"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  EXPECT_EQ(error_of(tool, Json::array()), "invalid_arguments: expected object, found array");
}

TEST(NativeTool, OutputSchemaComesFromTheTypesToo) {
  const auto tool = make_native_tool<samples::TooLarge>();
  EXPECT_EQ(Json(tool->spec().output_schema),
            Json::parse(R"({"type": "object", "properties": {"text": {"type": "string"}},
                            "additionalProperties": false, "required": ["text"]})"));
  EXPECT_TRUE(make_native_tool<samples::Hangs>()->spec().output_schema.is_null());
}

TEST(NativeTool, WithoutArgsTakesAnEmptyObject) {
  const auto tool = make_native_tool<samples::FailsItsWay>();
  EXPECT_EQ(Json(tool->spec().input_schema),
            Json::parse(R"({"type": "object", "properties": {}, "additionalProperties": false})"));
  EXPECT_EQ(error_of(tool, {{"x", 1}}),
            "invalid_arguments: /x: unknown property 'x'; none is expected");
}

TEST(NativeTool, ItsOwnErrorReachesTheCaller) {
  const auto execution = run(make_native_tool<samples::FailsItsWay>(), Json::object());
  ASSERT_FALSE(execution);
  const model::ToolError& error = execution.error();
  EXPECT_EQ(error.code, "quota_exceeded");
  EXPECT_EQ(error.message, "the daily quota is used up");
  EXPECT_TRUE(error.retryable);
  EXPECT_EQ(error.retry_after, std::chrono::milliseconds(1500));
  EXPECT_EQ(error.details, (Json{{"used", 100}, {"limit", 100}}));
}

TEST(NativeTool, AnExceptionIsAnError) {
  const auto tool = make_native_tool<samples::Throws>();
  EXPECT_EQ(error_of(tool, Json::object()), "tool_threw: out of cheese");
  EXPECT_EQ(error_of(tool, {{"standard", false}}),
            "tool_threw: tool 'sample.throws' threw something that is not a std::exception");
}

struct ThrowsBytes {
  static constexpr ToolInfo info{.name = "throws_bytes"};
  Result<Json> run(model::ToolContext&) const { throw std::runtime_error("caf\xe9"); }
};

TEST(NativeTool, AnErrorsMessageIsUtf8) {
  EXPECT_EQ(error_of(make_native_tool<ThrowsBytes>(), Json::object()),
            "tool_threw: caf\xEF\xBF\xBD");
}

struct Steps3 {
  static constexpr ToolInfo info{.name = "steps"};
  Result<void> run(model::ToolContext&, model::Progress& progress) const {
    for (int i = 1; i <= 3; ++i) progress.report({.progress = double(i), .total = 3});
    return {};
  }
};

TEST(NativeTool, IsMultiStepBySignature) {
  const auto tool = make_native_tool<Steps3>();
  EXPECT_TRUE(tool->spec().multi_step);
  std::vector<double> seen;
  model::LocalContext context;
  model::ProgressTo collect(
      [&](const model::ProgressReport& report) { seen.push_back(report.progress); });
  const auto execution = tool->execute(Json::object(), context, collect);
  ASSERT_TRUE(execution);
  EXPECT_TRUE(execution->is_null());
  EXPECT_EQ(seen, (std::vector<double>{1, 2, 3}));
}

TEST(NativeTool, LearnsThatItShouldStop) {
  const auto tool = make_native_tool<samples::ReportsThenHangs>();
  model::LocalContext context;
  model::ProgressTo cancel([&](const model::ProgressReport&) { context.stop.request_stop(); });
  const auto execution = tool->execute(Json::object(), context, cancel);
  ASSERT_FALSE(execution);
  EXPECT_EQ(execution.error().code, "cancelled");
}

struct Knows {
  static constexpr ToolInfo info{.name = "knows"};
  Result<Json> run(model::ToolContext& context) const {
    context.log(model::LogLevel::kWarning, "hello");
    return Json{{"session", context.session_id()},
                {"user", context.user_id()},
                {"call", context.call_id()},
                {"attempt", context.attempt()},
                {"key", context.idempotency_key()},
                {"secret", *context.secret("token")},
                {"none", context.secret("other").has_value()}};
  }
};

TEST(NativeTool, KnowsItsCall) {
  model::LocalContext context;
  context.session = "s";
  context.user = "u";
  context.call = "c";
  context.secrets["token"] = "t";
  model::ProgressTo nowhere({});
  const auto execution = make_native_tool<Knows>()->execute(Json::object(), context, nowhere);
  ASSERT_TRUE(execution);
  EXPECT_EQ(*execution, Json::parse(R"({"session": "s", "user": "u", "call": "c", "attempt": 1,
                                        "key": "c", "secret": "t", "none": false})"));
  ASSERT_EQ(context.logged().size(), 1U);
  EXPECT_EQ(context.logged()[0].second, "hello");
}

struct Weather {
  static constexpr ToolInfo info{.name = "weather"};
  static ObjectSchema input() {
    return ObjectSchema()
        .string("city", {.description = "Where", .required = true})
        .string("unit", {.default_value = "celsius", .choices = {"celsius", "fahrenheit"}})
        .integer("days", {.default_value = 1, .minimum = 1, .maximum = 7})
        .array("tags", {{"type", "string"}})
        .object("at", ObjectSchema().number("lat", {.required = true}))
        .boolean("exact")
        .property("any", OrderedJson::object());
  }
  Result<Json> run(const Json& arguments, model::ToolContext&) const { return arguments; }
};

TEST(NativeTool, TakesPlainJsonByAHandWrittenSchema) {
  const auto tool = make_native_tool<Weather>();
  EXPECT_EQ(Json(tool->spec().input_schema), Json::parse(R"({
    "type": "object", "additionalProperties": false, "required": ["city"],
    "properties": {
      "city": {"type": "string", "description": "Where"},
      "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
      "days": {"type": "integer", "minimum": 1, "maximum": 7, "default": 1},
      "tags": {"type": "array", "items": {"type": "string"}},
      "at": {"type": "object", "additionalProperties": false, "required": ["lat"],
             "properties": {"lat": {"type": "number"}}},
      "exact": {"type": "boolean"},
      "any": {}}})"));
  const auto execution = run(tool, {{"city", "Oslo"}});
  ASSERT_TRUE(execution) << execution.error().message;
  EXPECT_EQ(*execution, (Json{{"city", "Oslo"}, {"unit", "celsius"}, {"days", 1}}));
  EXPECT_EQ(
      error_of(tool, {{"city", "Oslo"}, {"unit", "kelvin"}}),
      "invalid_arguments: /unit: expected one of \"celsius\", \"fahrenheit\"; found \"kelvin\"");
  EXPECT_EQ(error_of(tool, Json::object()), "invalid_arguments: missing required property 'city'");
}

struct Echoes {
  static constexpr ToolInfo info{.name = "echoes"};
  Result<Json> run(const Json& arguments, model::ToolContext&, model::Progress&) const {
    return arguments;
  }
};

TEST(NativeTool, PlainJsonWithoutASchemaTakesAnEmptyObject) {
  const auto tool = make_native_tool<Echoes>();
  EXPECT_TRUE(tool->spec().multi_step);
  EXPECT_EQ(*run(tool, Json::object()), Json::object());
  EXPECT_TRUE(error_of(tool, {{"x", 1}}).starts_with("invalid_arguments"));
}

struct Remembers {
  static constexpr ToolInfo info{.name = "remembers"};
  explicit Remembers(int start) : calls(start) {}
  Result<int> run(model::ToolContext&) { return ++calls; }
  int calls;
};

TEST(NativeTool, EveryCallOfANonConstRunHasItsOwnCopy) {
  const auto tool = make_native_tool<Remembers>(5);
  EXPECT_EQ(*run(tool, Json::object()), 6);
  EXPECT_EQ(*run(tool, Json::object()), 6);
}

TEST(NativeTool, RunsManyTimesAtOnce) {
  auto runs = std::make_shared<std::atomic<int>>(0);
  const auto tool = make_native_tool<samples::Counts>(runs);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(run(tool, Json::object()));
    });
  }
  threads.clear();
  EXPECT_EQ(*runs, 800);
}

struct BadSchema {
  static constexpr ToolInfo info{.name = "bad_schema"};
  static ObjectSchema input() { return ObjectSchema().property("x", {{"type", "strin"}}); }
  Result<Json> run(const Json& arguments, model::ToolContext&) const { return arguments; }
};

TEST(NativeTool, ABadSchemaIsRefusedByTheRegistryAndNeverRun) {
  const auto tool = make_native_tool<BadSchema>();
  EXPECT_TRUE(error_of(tool, Json::object()).starts_with("invalid_spec: "));
  model::Registry registry;
  const auto added = registry.add(tool);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kInvalidSpec);
  EXPECT_TRUE(added.error().message.starts_with("tool 'default.bad_schema': input "))
      << added.error().message;
}

}  // namespace
}  // namespace toolway::tools::native
