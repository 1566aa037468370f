// How long it takes to load specs: `specs_load_bench [COUNT]`.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>

#include "tools/executors/kind_types.h"
#include "tools/model/kinds.h"
#include "tools/model/registry.h"
#include "tools/specs/reader.h"

namespace {

using namespace toolway;
using namespace toolway::tools;

/// Specs as people write them, with some twenty lines of schema each.
toolway::OrderedJson specs(int count) {
  toolway::OrderedJson list = toolway::OrderedJson::array();
  for (int i = 0; i < count; ++i) {
    list.push_back(
        {{"name", fmt::format("tool_{}", i)},
         {"namespace", fmt::format("ns_{}", i / 20)},
         {"kind", "python"},
         {"description", "Looks up what there is about a city, and says it in a unit."},
         {"limits", {{"run_ms", 5000}}},
         {"input_schema",
          {{"type", "object"},
           {"properties",
            {{"city", {{"type", "string"}, {"description", "Where"}, {"maxLength", 200}}},
             {"unit", {{"type", "string"}, {"enum", {"celsius", "fahrenheit"}}}},
             {"code", {{"type", "string"}, {"pattern", "^[A-Z]{2,3}$"}}},
             {"days", {{"type", "integer"}, {"minimum", 1}, {"maximum", 7}}},
             {"tags", {{"type", "array"}, {"items", {{"type", "string"}}}}}}},
           {"required", {"city"}},
           {"additionalProperties", false}}},
         {"implementation_config", {{"module", "weather"}, {"function_name", "look_up"}}}});
  }
  return {{"tools", std::move(list)}};
}

/// The same text as block YAML.
void write_yaml(const toolway::OrderedJson& value, int indent, std::string& to) {
  for (const auto& [key, member] : value.items()) {
    to.append(static_cast<std::size_t>(indent), ' ');
    to += value.is_array() ? "- " : key + ": ";
    if (!member.is_structured()) {
      to += toolway::to_text(member) + "\n";
    } else {
      to += "\n";
      write_yaml(member, indent + 2, to);
    }
  }
}

template <typename F>
auto timed(const char* what, const F& run) {
  const auto begin = std::chrono::steady_clock::now();
  const auto processor = std::clock();
  auto result = run();
  const auto used = 1000.0 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{:<32}{:9.1f} ms, {:9.1f} ms of processor time\n", what, took.count(), used);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  const toolway::OrderedJson all = specs(count);
  const std::string json = toolway::to_text(all);
  std::string yaml;
  write_yaml(all, 0, yaml);
  fmt::print("{} specs, {} bytes of JSON, {} of YAML\n", count, json.size(), yaml.size());
  timed("first schema",
        [] { return toolway::tools::schema::compile_schema({{"type", "object"}}); });
  const auto read = timed("read_specs, JSON", [&] {
    return toolway::tools::specs::read_specs(json, "bench.json",
                                             {.kinds = toolway::tools::executors::kind_types()});
  });
  const auto from_yaml = timed("read_specs, YAML", [&] {
    return toolway::tools::specs::read_specs(yaml, "bench.yaml",
                                             {.kinds = toolway::tools::executors::kind_types()});
  });
  for (const auto& mistake : from_yaml.mistakes) fmt::print("{}\n", mistake.text());
  std::vector<toolway::tools::model::RegisteredToolPtr> registered;
  timed("register_tool", [&] {
    for (const auto& one : read.specs)
      registered.push_back(
          *toolway::tools::model::register_tool(toolway::tools::model::declared_tool(one.spec)));
    return 0;
  });
  timed("Registry::of", [&] { return toolway::tools::model::Registry::of(registered); });
  timed("digest", [&] {
    for (const auto& one : read.specs) toolway::tools::model::digest(one.spec);
    return 0;
  });
  timed("spec_of_document", [&] {
    for (const auto& one : read.specs)
      *toolway::tools::specs::spec_of_document(
          toolway::to_text(toolway::tools::model::to_document(one.spec)),
          toolway::tools::executors::kind_types());
    return 0;
  });
  return read.specs.size() == static_cast<std::size_t>(count) &&
                 from_yaml.specs.size() == read.specs.size()
             ? 0
             : 1;
}
