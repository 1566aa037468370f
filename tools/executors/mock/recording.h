#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/executors/mock/mock_answer.h"
#include "tools/specs/reader.h"
#include "tools/templates/redaction.h"

namespace toolway::tools::executors::mock {

/// One execution of a tool that has ended.
struct Recording {
  std::string tool;  ///< qualified
  Json arguments;
  std::vector<MockReport> progress{};
  model::Execution end = Json();
  std::chrono::milliseconds duration{0};
};

/// One line of NDJSON, without its end: {tool, digest, arguments, progress, result | error,
/// duration_ms}, from which `redaction` has taken the secrets.
std::string to_line(const Recording& recording, const templates::Redaction& redaction);

/// Errors: kInvalidSpec, in words.
Result<Recording> recording_of_line(std::string_view line);

/// A file of recordings. Blank lines are nothing. With any mistake, `recordings` has the lines that
/// have none.
struct RecordedFile {
  struct Line {
    int line = 0;
    Recording recording;
  };
  std::vector<Line> recordings;
  std::vector<Mistake> mistakes;
};
RecordedFile read_recordings(std::string_view text, std::string_view origin);

}  // namespace toolway::tools::executors::mock
