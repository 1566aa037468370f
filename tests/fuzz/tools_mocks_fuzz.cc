// Arbitrary bytes as a file of mocks: scripts in YAML or JSON, or recorded calls. Nothing may
// crash, mistakes have lines that are there, what is read can be played, and a recorded call is
// read as it was written.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "tools/executors/mock/mock_reader.h"
#include "tools/executors/mock/mock_tool.h"
#include "tools/executors/mock/recording.h"
#include "tools/model/local_context.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace toolway;
  using namespace toolway::tools;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  const auto check = [&](const std::vector<toolway::Mistake>& mistakes) {
    for (const auto& mistake : mistakes) {
      if (mistake.line < 1 || mistake.line > lines || mistake.message.empty() ||
          !toolway::valid_utf8(mistake.message))
        std::abort();
    }
  };
  auto document = toolway::tools::executors::mock::read_mocks(text, "fuzz");
  check(document.mistakes);
  toolway::tools::model::Spec spec{.name = "search",
                                   .ns = "web",
                                   .input_schema = {{"type", "object"}},
                                   .kind = toolway::tools::model::Kind::kPython,
                                   .multi_step = true};
  std::vector<std::shared_ptr<toolway::tools::executors::mock::AnswerSource>> sources;
  for (auto& script : document.scripts) {
    sources.push_back(
        std::make_shared<toolway::tools::executors::mock::ScriptedAnswers>(std::move(script)));
    (void)sources.back()->check(spec);
  }
  const toolway::tools::executors::mock::MockEffects effects{
      .pause = [](auto, const auto&) { return true; }, .hang = [] {}, .end_process = [] {}};
  const auto tool = toolway::tools::executors::mock::mock_tool(spec, std::move(sources), effects);
  toolway::tools::model::LocalContext context;
  toolway::tools::model::ProgressTo progress([](const toolway::tools::model::ProgressReport&) {});
  for (const toolway::Json& arguments :
       {toolway::Json::object(), toolway::Json{{"query", "toolway"}, {"n", {1, 2.5, nullptr}}}}) {
    const auto end = tool->execute(arguments, context, progress);
    if (!end && end.error().code.empty()) std::abort();
  }
  const auto recorded = toolway::tools::executors::mock::read_recordings(text, "fuzz");
  check(recorded.mistakes);
  for (const auto& [line, recording] : recorded.recordings) {
    const toolway::tools::templates::Redaction none({});
    const auto written = toolway::tools::executors::mock::to_line(recording, none);
    const auto again = toolway::tools::executors::mock::recording_of_line(written);
    if (!again || toolway::tools::executors::mock::to_line(*again, none) != written) std::abort();
  }
  return 0;
}
