#pragma once

#include <string_view>
#include <vector>

#include "tools/executors/mock/scripted_answers.h"
#include "tools/specs/reader.h"

namespace toolway::tools::executors::mock {

/// What a file of mocks says. With any mistake, `scripts` has the entries that have none.
struct MockDocument {
  std::vector<MockScript> scripts;
  std::vector<Mistake> mistakes;  ///< by line
};

/// Reads scripted answers from YAML or JSON (docs/mock.md). `origin` is what mistakes name.
/// Pure; never throws.
MockDocument read_mocks(std::string_view text, std::string_view origin);

}  // namespace toolway::tools::executors::mock
