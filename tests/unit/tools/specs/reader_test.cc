#include "tools/specs/reader.h"

#include <gtest/gtest.h>

#include "tests/unit/tools/specs/documents.h"
#include "tools/executors/kind_types.h"

namespace toolway::tools::specs {
namespace {

using std::chrono::milliseconds;

constexpr const char* kWhole = R"(tools:
  - name: search
    namespace: docs
    description: Searches.
    kind: python
    pool: heavy
    version: "3"
    category: text
    topic: Search
    permissions: [docs.read, docs.list]
    dangerous: true
    requires_approval: false
    idempotent: true
    multi_step: true
    limits: {queue_ms: 1, run_ms: 2, total_ms: 3, heartbeat_ms: 0}
    inline_ms: 5
    retry: {max_attempts: 3, initial_delay_ms: 10, factor: 1.5, max_delay_ms: 20, codes: [busy]}
    result: {inline_bytes: 1000, max_bytes: 2000, aggregate: steps}
    input_schema:
      type: object
      properties:
        z: {type: string}
        a: {type: integer}
    output_schema: {type: string}
    implementation_config: {module: m, function_name: f}
)";

TEST(SpecReader, ReadsEveryField) {
  const model::Spec spec = only_spec(kWhole);
  EXPECT_EQ(spec.qualified_name(), "docs.search");
  EXPECT_EQ(spec.description, "Searches.");
  EXPECT_EQ(spec.kind, model::Kind::kPython);
  EXPECT_EQ(spec.pool, "heavy");
  EXPECT_EQ(spec.version, "3");
  EXPECT_EQ(spec.category, "text");
  EXPECT_EQ(spec.topic, "Search");
  EXPECT_EQ(spec.permissions, (std::vector<std::string>{"docs.read", "docs.list"}));
  EXPECT_TRUE(spec.dangerous && spec.idempotent && spec.multi_step);
  EXPECT_EQ(spec.limits,
            (model::Limits{milliseconds(1), milliseconds(2), milliseconds(3), milliseconds(0)}));
  EXPECT_EQ(spec.inline_wait, milliseconds(5));
  EXPECT_EQ(spec.retry, (model::RetryPolicy{3, milliseconds(10), 1.5, milliseconds(20), {"busy"}}));
  EXPECT_EQ(spec.result, (model::ResultForm{1000, 2000, model::Aggregate::kSteps}));
  EXPECT_EQ(to_text(spec.input_schema),
            R"({"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}})");
  EXPECT_EQ(to_text(spec.output_schema), R"({"type":"string"})");
  EXPECT_EQ(to_text(spec.implementation), R"({"module":"m","function_name":"f"})");
}

TEST(SpecReader, ThePoolOfHeldCallsIsRefused) {
  const auto document = read_specs(python("    pool: held\n"), "f", any_kind());
  ASSERT_EQ(document.mistakes.size(), 1U);
  EXPECT_NE(document.mistakes[0].text().find("the pool `held`"), std::string::npos)
      << document.mistakes[0].text();
  EXPECT_TRUE(document.specs.empty());
}

TEST(SpecReader, LeavesDefaultsWhereNothingIsSaid) {
  const model::Spec spec = only_spec(python());
  model::Spec expected{.name = "t",
                       .input_schema = {{"type", "object"}},
                       .kind = model::Kind::kPython,
                       .pool = "python",
                       .implementation = {{"module", "m"}, {"function_name", "f"}}};
  EXPECT_EQ(to_text(model::to_document(spec)), to_text(model::to_document(expected)));
}

TEST(SpecReader, ReadsTheSameFromJsonYamlAndItsOwnDocuments) {
  const model::Spec spec = only_spec(kWhole);
  const std::string document = to_text(model::to_document(spec));
  EXPECT_EQ(model::digest(only_spec(document)), model::digest(spec));
  EXPECT_EQ(model::digest(only_spec("{\"tools\": [" + document + "]}")), model::digest(spec));
  EXPECT_EQ(model::digest(only_spec("\xEF\xBB\xBF" + document)), model::digest(spec));
  EXPECT_EQ(model::digest(only_spec("tools:\n- " + document)), model::digest(spec));
}

TEST(SpecReader, TakesMetadataTogether) {
  const model::Spec spec = only_spec(
      python("    metadata: {version: '2', dangerous: true, limits: {run_ms: 7}, topic: T}\n"));
  EXPECT_EQ(spec.version, "2");
  EXPECT_TRUE(spec.dangerous);
  const auto harmless = only_spec(python("    metadata: {read_only: true, open_world: false}\n"));
  EXPECT_TRUE(harmless.read_only);
  EXPECT_FALSE(harmless.open_world);
  EXPECT_EQ(spec.limits.run, milliseconds(7));
  EXPECT_EQ(spec.topic, "T");
  EXPECT_EQ(
      mistakes_of(python("    topic: A\n    metadata:\n      topic: B\n      name: x\n")),
      (Lines{
          "8: `topic` appears twice: `topic` is at line 6",
          "9: `metadata` has no field \"name\"; it can have version, category, permissions, dangerous, "
          "requires_approval, read_only, open_world, task, asks, idempotent, multi_step, limits, topic"}));
  EXPECT_EQ(mistakes_of(python("    metadata: 5\n")), (Lines{"6: `metadata` must be a mapping"}));
}

TEST(SpecReader, AnEmptyFileHasNoSpecs) {
  for (const char* text :
       {"", "# nothing\n", "\n\n", "---\n", "tools: []\n", "{}", "{\"tools\": []}", "null\n"}) {
    const auto document = read_specs(text, "f", any_kind());
    EXPECT_TRUE(document.specs.empty() && document.mistakes.empty())
        << text << document.mistakes.at(0).text();
  }
}

TEST(SpecReader, SaysWhichOfALinesValuesIsWrong) {
  EXPECT_EQ(
      mistakes_of("tools:\n"
                  "  - {name: t, namespace: n, kind: http, input_schema: {type: object},\n"
                  "     implementation_config: {url: 'https://a.example/',\n"
                  "       headers: {Host: a, 'b c': d}, auth: {}}}\n"),
      (Lines{"4: /implementation_config/headers/Host: is set by the connection, not by a tool",
             "4: /implementation_config/headers/b c: is not a header name",
             "4: /implementation_config/auth: must have one of bearer, basic, api_key"}));
}

TEST(SpecReader, SaysEveryMistakeWithItsLine) {
  EXPECT_EQ(
      mistakes_of("tools:\n"
                  "  - name: a b\n"
                  "    kind: python\n"
                  "    colour: red\n"
                  "    dangeros: true\n"
                  "    multi_step: yes\n"
                  "    version: 1.10\n"
                  "    permissions: all\n"
                  "    limits:\n"
                  "      run_ms: soon\n"
                  "      walk_ms: 3\n"
                  "    input_schema: {type: object}\n"
                  "    implementation_config:\n"
                  "      module: m\n"
                  "      function_name: f\n"
                  "  - echo\n"
                  "  - name: b\n"
                  "    kind: snake\n"
                  "  - namespace: n\n"
                  "    kind: python\n"
                  "    input_schema: {type: object}\n"
                  "    implementation_config: {module: m, function_name: f}\n"),
      (Lines{
          "2: `name` must be 1 to 64 characters of A-Z a-z 0-9 _ -, not \"a b\"",
          "4: unknown field `colour`; a tool can have name, namespace, kind, description, version, category, "
          "topic, permissions, dangerous, requires_approval, read_only, open_world, task, asks, limits, "
          "inline_ms, "
          "retry, result, pool, idempotent, multi_step, input_schema, output_schema, implementation_config, enabled, rollout",
          "5: unknown field `dangeros`; did you mean `dangerous`?",
          "6: `multi_step` must be true or false", "7: `version` must be text: write it in quotes",
          "8: `permissions` must be a list of texts",
          "10: `run_ms` must be whole milliseconds from 0 to 2592000000",
          "11: unknown field `walk_ms`; `limits` can have queue_ms, run_ms, total_ms, heartbeat_ms",
          "16: a tool must be a mapping",
          "18: there is no kind \"snake\": it must be " + executors::kind_types().names(),
          "19: a tool has no `name`"}));
}

TEST(SpecReader, WhatChangesNothingIsNotDangerous) {
  EXPECT_EQ(mistakes_of(python("    dangerous: true\n    read_only: true\n")),
            (Lines{"7: a tool that is `read_only` changes nothing, so it cannot be `dangerous` as "
                   "well: remove one of them"}));
  EXPECT_EQ(mistakes_of(python("    open_world: 1\n")),
            (Lines{"6: `open_world` must be true or false"}));
}

TEST(SpecReader, RefusesWrongTypesAndRanges) {
  const auto refused = [](const std::string& field) {
    return mistakes_of(python("    " + field + "\n"));
  };
  const auto is = [&](const std::string& field, const std::string& what) {
    EXPECT_EQ(refused(field), (Lines{"6: " + what})) << field;
  };
  for (const char* value :
       {"-1", "1.5", "soon", "[1]", "99999999999999999999", "\"5\"", "2592000001"}) {
    is(std::string("limits: {run_ms: ") + value + "}",
       "`run_ms` must be whole milliseconds from 0 to 2592000000");
  }
  for (const char* value : {"maybe", "\"\"", "Required"})
    is(std::string("task: ") + value, "`task` must be forbidden, optional or required");
  for (const char* value : {"never", "\"\"", "Restart"})
    is(std::string("asks: ") + value, "`asks` must be wait or restart");
  is("limits: 5", "`limits` must be a mapping");
  is("description: {a: b}", "`description` must be text");
  is("description: null", "`description` must be text");
  is("description: 5", "`description` must be text: write it in quotes");
  is("dangerous: \"true\"", "`dangerous` must be true or false");
  is("permissions: [a, 5]", "each of `permissions` must be text: write it in quotes");
  is("pool: a/b", "`pool` must be 1 to 64 characters of A-Z a-z 0-9 _ -, not \"a/b\"");
  is("namespace: ''", "`namespace` must be 1 to 64 characters of A-Z a-z 0-9 _ -, not \"\"");
  is("inline_ms: 600001", "`inline_ms` must be whole milliseconds from 0 to 600000");
  is("retry: {max_attempts: 0}", "`max_attempts` must be a whole number from 1 to 100");
  is("retry: {factor: 0.5}", "`factor` must be a number from 1 to 100");
  is("retry: {max_delay_ms: 86400001}",
     "`max_delay_ms` must be whole milliseconds from 0 to 86400000");
  is("retry: {codes: x}", "`codes` must be a list of texts");
  is("result: {inline_bytes: 524289}", "`inline_bytes` must be whole bytes from 1 to 524288");
  is("result: {max_bytes: 268435457}", "`max_bytes` must be whole bytes from 1 to 268435456");
  is("result: {inline_bytes: 11, max_bytes: 10}",
     "`inline_bytes` must not be more than `max_bytes`");
  is("result: {aggregate: all}", "`aggregate` must be last, blocks or steps");
  is("enabled: 1", "`enabled` must be true or false");
  for (const char* share : {"0", "100", "-1", "10.5", "'10'", "true"}) {
    is(std::string("rollout: ") + share,
       "`rollout` must be whole percent of sessions from 1 to 99");
  }
  EXPECT_EQ(only_spec(python("    result: {max_bytes: 10}\n")).result.inline_bytes, 10U);
}

TEST(SpecReader, ACandidateIsKeptNextToTheStableVersionOfItsName) {
  const std::string one =
      "  - {name: t, kind: python, input_schema: {type: object}, "
      "implementation_config: {module: m, function_name: f}";
  const auto both =
      read_specs("tools:\n" + one + "}\n" + one + ", rollout: 10}\n", "a.yaml", any_kind());
  EXPECT_TRUE(both.mistakes.empty()) << both.mistakes.at(0).text();
  ASSERT_EQ(both.specs.size(), 2U);
  EXPECT_EQ(both.specs[0].rollout, 0U);
  EXPECT_EQ(both.specs[1].rollout, 10U);
  // The share is not part of the spec.
  EXPECT_EQ(model::digest(both.specs[0].spec), model::digest(both.specs[1].spec));
  const auto two = read_specs("tools:\n" + one + ", rollout: 1}\n" + one + ", rollout: 2}\n",
                              "a.yaml", any_kind());
  ASSERT_EQ(two.mistakes.size(), 1U);
  EXPECT_EQ(two.mistakes[0].text(),
            "a.yaml:3: tool 'default.t' already has a candidate, at line 2");
}

TEST(SpecReader, RefusesTwoOfAName) {
  const std::string one =
      "  - {name: t, kind: python, input_schema: {type: object}, "
      "implementation_config: {module: m, function_name: f}}\n";
  EXPECT_EQ(mistakes_of("tools:\n" + one + one),
            (Lines{"3: tool 'default.t' already exists, at line 2"}));
  EXPECT_EQ(mistakes_of(python("    topic: a\n    topic: b\n")),
            (Lines{"7: \"topic\" appears twice, first at line 6"}));
  EXPECT_EQ(mistakes_of("{\"tools\": [],\n\n\"tools\": []}"),
            (Lines{"3: \"tools\" appears twice, first at line 1"}));
}

TEST(SpecReader, RefusesOtherFiles) {
  const std::string not_a_map =
      "1: the file must be a mapping: `tools:` with a list of specs, or one spec";
  EXPECT_EQ(mistakes_of("[]\n"), Lines{not_a_map});
  EXPECT_EQ(mistakes_of("hello\n"), Lines{not_a_map});
  EXPECT_EQ(mistakes_of("tools: 5\n"), Lines{"1: `tools` must be a list"});
  EXPECT_EQ(mistakes_of("\ntool: []\n"), Lines{"2: unknown field `tool`; did you mean `tools`?"});
  EXPECT_EQ(mistakes_of("tools: [\n").size(), 1U);
  EXPECT_EQ(mistakes_of(std::string(16 * 1024 * 1024 + 1, ' ')),
            Lines{"1: has 16777217 bytes; the limit is 16 MiB"});
  EXPECT_EQ(mistakes_of("tools: []\n# \xC3\x28\n"), Lines{"2: not UTF-8"});
  EXPECT_EQ(mistakes_of(std::string("a: b\n\0", 6)),
            Lines{"2: control character U+0000: in quotes, write it as \"\\u0000\""});
}

TEST(SpecReader, SaysWhereASchemaIsWrong) {
  const std::string text =
      "tools:\n"
      "  - name: t\n"
      "    kind: python\n"
      "    implementation_config: {module: m, function_name: f}\n"
      "    input_schema:\n"
      "      type: object\n"
      "      properties:\n"
      "        a/b:\n"
      "          type: strnig\n"
      "        c: {$ref: '#/nowhere'}\n"
      "    output_schema:\n"
      "      properties:\n"
      "        d:\n"
      "          pattern: '('\n";
  const auto found = mistakes_of(text);
  ASSERT_EQ(found.size(), 2U) << found.at(0);
  EXPECT_EQ(found[0].find("9: `input_schema` at /properties/a~1b/type: not a JSON Schema: "), 0U)
      << found[0];
  EXPECT_EQ(found[1].find("14: `output_schema` at /properties/d/pattern: "), 0U) << found[1];
  auto reference = text;
  reference.replace(reference.find("strnig"), 6, "string");
  EXPECT_EQ(mistakes_of(reference).at(0),
            "10: `input_schema` at /properties/c: $ref '#/nowhere' reaches no schema");
  EXPECT_EQ(mistakes_of(python("    output_schema: 5\n")),
            Lines{"6: `output_schema`: a schema must be a JSON object"});
  const std::string entry =
      "name: t\nkind: python\nimplementation_config: {module: m, function_name: f}\n";
  EXPECT_EQ(mistakes_of(entry + "input_schema: 5\n"),
            Lines{"4: `input_schema` must be a mapping with `type: object`"});
  EXPECT_EQ(mistakes_of(entry + "input_schema:\n  type: string\n"),
            Lines{"5: `input_schema` must say `type: object`"});
  EXPECT_EQ(mistakes_of(entry + "input_schema:\n  title: x\n"),
            Lines{"4: `input_schema` must say `type: object`"});
}

TEST(SpecReader, SaysWhereAConfigIsWrong) {
  EXPECT_EQ(
      mistakes_of(
          "name: t\nkind: python\ninput_schema: {type: object}\nimplementation_config:\n  module: 5\n  function_name: f\n")
          .at(0)
          .find("5: "),
      0U);
  EXPECT_EQ(mistakes_of("name: t\nkind: python\ninput_schema: {type: object}\n").at(0).find("1: "),
            0U);
  EXPECT_EQ(mistakes_of("name: t\nkind: http\ninput_schema: {type: object}\n"),
            Lines{"1: an HTTP tool needs `implementation_config: {url: …}`"});
  const auto command = mistakes_of(
      "name: t\nkind: command\ninput_schema: {type: object}\nimplementation_config:\n"
      "  argv:\n    - echo\n    - \"{who}\"\n");
  ASSERT_EQ(command.size(), 1U);
  EXPECT_EQ(command[0].find("7: `{who}` is not a property of input_schema"), 0U) << command[0];
}

TEST(SpecReader, RefusesASpecThatFitsIntoNoMessage) {
  const auto found = mistakes_of(python("    description: " + std::string(512 * 1024, 'x') + "\n"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], "2: the spec has 524884 bytes as JSON; the limit is 512 KiB");
}

TEST(SpecReader, RefusesAHugeSchemaAtOnce) {
  std::string names;
  for (int i = 0; i < 40'000; ++i) names += "k" + std::to_string(i) + ",";
  const std::string entry =
      "name: t\nkind: python\nimplementation_config: {module: m, function_name: f}\n";
  EXPECT_EQ(mistakes_of(entry + "input_schema:\n  type: object\n  required: [" + names + "]\n"),
            Lines{"4: `input_schema` has 40003 values; the limit is 10000"});
}

TEST(SpecReader, AsksForWhatAPythonSpecLeavesOut) {
  const std::string text =
      "name: t\nkind: python\nimplementation_config: {module: m, function_name: f}\n";
  EXPECT_EQ(
      mistakes_of(text),
      Lines{
          "1: a python tool has no `input_schema`: `toolway specs from-python MODULE` writes it"});
  const ReaderOptions described{.kinds = executors::kind_types(),
                                .describe = [](model::Spec spec) -> Result<model::Spec> {
                                  EXPECT_TRUE(spec.input_schema.is_null());
                                  spec.input_schema = {{"type", "object"}};
                                  spec.description = "From Python.";
                                  return spec;
                                }};
  EXPECT_EQ(only_spec(text, described).description, "From Python.");
  const ReaderOptions failing{.kinds = executors::kind_types(),
                              .describe = [](const model::Spec&) -> Result<model::Spec> {
                                return fail(ErrorCode::kInvalidSpec, "no such module");
                              }};
  EXPECT_EQ(mistakes_of(text, failing), Lines{"1: no such module"});
}

TEST(SpecReader, KeepsWhatHasNoMistake) {
  const auto document = read_specs(python("  - {name: bad}\n"), "dir/f.yaml", any_kind());
  ASSERT_EQ(document.specs.size(), 1U);
  EXPECT_EQ(document.specs[0].line, 2);
  ASSERT_EQ(document.mistakes.size(), 1U);
  EXPECT_EQ(document.mistakes[0].text(), "dir/f.yaml:6: a tool has no `kind`");
}

TEST(SpecReader, StopsListingAtAThousandMistakes) {
  std::string text = "tools:\n";
  for (int i = 0; i < 3000; ++i) text += "  - x\n";
  const auto found = mistakes_of(text);
  ASSERT_EQ(found.size(), 1001U);
  EXPECT_EQ(found.back(), "1001: and 2000 more mistakes");
}

}  // namespace
}  // namespace toolway::tools::specs
