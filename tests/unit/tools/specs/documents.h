#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/executors/kind_types.h"
#include "tools/specs/reader.h"

namespace toolway::tools::specs {

/// Of every kind of this build.
inline ReaderOptions any_kind() { return {.kinds = executors::kind_types()}; }

/// Every mistake of a text, without its origin: "5: what".
inline std::vector<std::string> mistakes_of(const std::string& text,
                                            const ReaderOptions& options = any_kind()) {
  std::vector<std::string> found;
  for (const auto& mistake : read_specs(text, "f", options).mistakes)
    found.push_back(mistake.text().substr(2));
  return found;
}

/// The one spec of a text that has no mistake.
inline model::Spec only_spec(const std::string& text, const ReaderOptions& options = any_kind()) {
  const auto document = read_specs(text, "f", options);
  for (const auto& mistake : document.mistakes) ADD_FAILURE() << mistake.text();
  EXPECT_EQ(document.specs.size(), 1U);
  return document.specs.empty() ? model::Spec{} : document.specs[0].spec;
}

using Lines = std::vector<std::string>;

/// A python tool of six lines, with further lines.
inline std::string python(const std::string& more = {}) {
  return "tools:\n"
         "  - name: t\n"
         "    kind: python\n"
         "    input_schema: {type: object}\n"
         "    implementation_config: {module: m, function_name: f}\n" +
         more;
}

}  // namespace toolway::tools::specs
