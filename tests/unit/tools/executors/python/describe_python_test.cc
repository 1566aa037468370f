// Specs from type hints and docstrings.
#include "tests/unit/tools/executors/python/python_fixture.h"
#include "tools/model/spec.h"

namespace toolway::tools::executors::python {
namespace {

class DescribePython : public PythonTest {
 protected:
  OrderedJson described(const std::string& name) {
    auto found = describe_python(options(), "described_tools", name);
    EXPECT_TRUE(found) << found.error().message;
    return found && !found->tools.empty() ? found->tools[0] : OrderedJson();
  }
};

TEST_F(DescribePython, ReadsHintsDefaultsAndGoogleDocstrings) {
  EXPECT_EQ(described("weather"), OrderedJson::parse(R"({
    "name": "weather", "description": "The weather in a city.\n\nAs far as anybody knows.", "kind": "python",
    "input_schema": {"type": "object", "properties": {
        "city": {"type": "string", "description": "Where, in any language."},
        "days": {"type": "integer", "description": "How many days ahead.", "default": 1},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
        "place": {"anyOf": [{"type": "object", "properties": {"city": {"type": "string"}, "country": {"type": "string"}},
                             "additionalProperties": false}, {"type": "null"}], "default": null}},
      "required": ["city"], "additionalProperties": false},
    "output_schema": {"type": "object", "properties": {"degrees": {"type": "number"}}, "required": ["degrees"],
                      "additionalProperties": false},
    "implementation_config": {"module": "described_tools", "function_name": "weather"}})"));
}

TEST_F(DescribePython, ReadsNumpyAndRestDocstrings) {
  const auto numpy = described("numpy_style");
  EXPECT_EQ(numpy["description"], "Adds numbers.");
  EXPECT_EQ(numpy["input_schema"]["properties"], OrderedJson::parse(R"({
    "values": {"type": "array", "items": {"type": "number"}, "description": "What to add."},
    "exact": {"type": "boolean", "description": "Whether to be exact."},
    "mode": {"type": "string", "enum": ["fast", "slow"], "default": "fast"}})"));
  EXPECT_FALSE(numpy.contains("output_schema"));
  const auto rest = described("rest_style");
  EXPECT_EQ(rest["description"], "Remembers.");
  EXPECT_EQ(rest["input_schema"], OrderedJson::parse(R"({"type": "object", "properties": {
    "when": {"type": "string", "format": "date-time", "description": "The time."},
    "either": {"type": ["integer", "string"], "description": "One or the other."}},
    "required": ["when", "either"], "additionalProperties": true})"));
}

TEST_F(DescribePython, KnowsGeneratorsAndTypesThatContainThemselves) {
  const auto steps = described("steps");
  EXPECT_EQ(steps["multi_step"], true);
  EXPECT_EQ(steps["output_schema"], OrderedJson::parse(R"({"type": "integer"})"));
  EXPECT_EQ(steps["input_schema"], OrderedJson::parse(R"({"type": "object", "properties": {
    "tree": {"$ref": "#/$defs/Tree"},
    "names": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "Counts by name."},
    "limit": {"type": ["number", "null"], "default": null}},
    "required": ["tree", "names"], "additionalProperties": false,
    "$defs": {"Tree": {"description": "A tree of names.", "type": "object", "properties": {
      "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
      "required": ["name"], "additionalProperties": false}}})"))
      << steps["input_schema"];
  EXPECT_TRUE(schema::compile_schema(steps["input_schema"]));
  EXPECT_EQ(described("stream")["multi_step"], true);
  EXPECT_EQ(described("Group.inside")["name"], "inside");
}

TEST_F(DescribePython, TakesEveryPublicFunctionAndSaysWhatItCannot) {
  const auto all = describe_python(options(), "described_tools");
  ASSERT_TRUE(all) << all.error().message;
  std::string names;
  for (const auto& one : all->tools) names += one["name"].get<std::string>() + " ";
  EXPECT_EQ(names, "weather numpy_style rest_style steps stream ");
  ASSERT_EQ(all->refused.size(), 2U);
  EXPECT_EQ(all->refused[0].function, "variadic");
  EXPECT_EQ(all->refused[1].reason, "data: bytes are not JSON; take a string");
  EXPECT_EQ(children(), "");
}

TEST_F(DescribePython, SaysWhyAModuleCannotBeDescribed) {
  for (const auto& [module, words] :
       {std::pair("no_such_module", "there is no module no_such_module"),
        std::pair("broken_module", "RuntimeError: this module cannot be imported")}) {
    const auto found = describe_python(options(), module);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kInvalidSpec);
    EXPECT_NE(found.error().message.find(words), std::string::npos) << found.error().message;
  }
  EXPECT_NE(describe_python(options(), "described_tools", "nothing")
                .error()
                .message.find("has no nothing"),
            std::string::npos);
}

}  // namespace
}  // namespace toolway::tools::executors::python
