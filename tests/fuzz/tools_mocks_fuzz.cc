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
  const auto check = [&](const std::vector<Mistake>& mistakes) {
    for (const auto& mistake : mistakes) {
      if (mistake.line < 1 || mistake.line > lines || mistake.message.empty() ||
          !valid_utf8(mistake.message))
        std::abort();
    }
  };
  auto document = read_mocks(text, "fuzz");
  check(document.mistakes);
  Spec spec{.name = "search",
            .ns = "web",
            .input_schema = {{"type", "object"}},
            .kind = Kind::kPython,
            .multi_step = true};
  std::vector<std::shared_ptr<AnswerSource>> sources;
  for (auto& script : document.scripts) {
    sources.push_back(std::make_shared<ScriptedAnswers>(std::move(script)));
    (void)sources.back()->check(spec);
  }
  const MockEffects effects{
      .pause = [](auto, const auto&) { return true; }, .hang = [] {}, .end_process = [] {}};
  const auto tool = mock_tool(spec, std::move(sources), effects);
  LocalContext context;
  ProgressTo progress([](const ProgressReport&) {});
  for (const Json& arguments :
       {Json::object(), Json{{"query", "toolway"}, {"n", {1, 2.5, nullptr}}}}) {
    const auto end = tool->execute(arguments, context, progress);
    if (!end && end.error().code.empty()) std::abort();
  }
  const auto recorded = read_recordings(text, "fuzz");
  check(recorded.mistakes);
  for (const auto& [line, recording] : recorded.recordings) {
    const Redaction none({});
    const auto written = to_line(recording, none);
    const auto again = recording_of_line(written);
    if (!again || to_line(*again, none) != written) std::abort();
  }
  return 0;
}
