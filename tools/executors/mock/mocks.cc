#include "tools/executors/mock/mocks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <ranges>

#include "base/os/file_io.h"
#include "base/try.h"
#include "tools/executors/mock/mock_reader.h"
#include "tools/executors/mock/recorded_answers.h"

namespace toolway::tools::executors::mock {
namespace {

/// Recordings are kept in memory as a whole.
constexpr std::uintmax_t kMaxRecordedBytes = 1UL << 30;

bool is_recording(const std::string& file) {
  return file.ends_with(".ndjson") || file.ends_with(".jsonl");
}

void read_file(const std::string& file, double speed, const std::shared_ptr<KnownSecrets>& secrets,
               MockFiles& files) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) return files.mistakes.push_back({file, "cannot be read", 1});
  if (size > kMaxRecordedBytes) {
    return files.mistakes.push_back(
        {file, fmt::format("has {} bytes; the limit is {} MiB", size, kMaxRecordedBytes >> 20), 1});
  }
  const auto whole = os::read_file(file);
  if (!whole) return files.mistakes.push_back({file, "cannot be read", 1});
  const std::string& text = *whole;
  const auto keep = [&](std::vector<Mistake>& mistakes) {
    std::move(mistakes.begin(), mistakes.end(), std::back_inserter(files.mistakes));
  };
  if (is_recording(file)) {
    auto recorded = read_recordings(text, file);
    keep(recorded.mistakes);
    files.sources.push_back(
        std::make_shared<RecordedAnswers>(file, std::move(recorded.recordings), speed, secrets));
  } else {
    auto document = read_mocks(text, file);
    keep(document.mistakes);
    for (auto& script : document.scripts)
      files.sources.push_back(std::make_shared<ScriptedAnswers>(std::move(script)));
  }
}

}  // namespace

MockFiles read_mock_files(const std::vector<std::string>& files, double speed,
                          std::shared_ptr<KnownSecrets> secrets) {
  MockFiles read;
  for (const auto& file : files) read_file(file, speed, secrets, read);
  return read;
}

Result<std::shared_ptr<Mocks>> Mocks::create(MockOptions options, MockEffects effects) {
  const auto secrets = std::make_shared<KnownSecrets>(options.secrets);
  auto files = read_mock_files(options.files, options.speed, secrets);
  if (!files.mistakes.empty()) {
    return fail(
        ErrorCode::kInvalidSpec,
        fmt::format("{}", fmt::join(files.mistakes | std::views::transform(&Mistake::text), "\n")));
  }
  auto mocks = std::shared_ptr<Mocks>(new Mocks(std::move(options), std::move(effects)));
  mocks->sources_ = std::move(files.sources);
  if (!mocks->options_.record.empty()) {
    ASSIGN_OR_RETURN(mocks->recorder_, Recorder::open(mocks->options_.record, secrets));
  }
  return mocks;
}

std::shared_ptr<const model::Tool> Mocks::instead_of(const model::Spec& spec) const {
  std::vector<std::shared_ptr<AnswerSource>> covering;
  std::copy_if(sources_.begin(), sources_.end(), std::back_inserter(covering),
               [name = spec.qualified_name()](const auto& source) { return source->covers(name); });
  if (covering.empty() && !refuses_others()) return nullptr;
  return mock_tool(spec, std::move(covering), effects_);
}

std::shared_ptr<const model::Tool> Mocks::recorded(std::shared_ptr<const model::Tool> tool) const {
  return recorder_ ? recorded_tool(std::move(tool), recorder_) : tool;
}

model::RegisteredToolPtr Mocks::over(model::RegisteredToolPtr native) const {
  auto mock = instead_of(native->spec());
  if (!mock && !recorder_) return native;
  auto made = *native;
  if (mock) made.checks = model::SchemaChecks::kByRun;
  made.tool = mock ? std::move(mock) : recorded(std::move(made.tool));
  return std::make_shared<const model::RegisteredTool>(std::move(made));
}

std::vector<Mistake> Mocks::check(std::span<const model::Spec> specs) const {
  std::vector<Mistake> mistakes;
  for (const auto& source : sources_) {
    for (const auto& spec : specs) {
      auto found = source->check(spec);
      std::move(found.begin(), found.end(), std::back_inserter(mistakes));
    }
  }
  return mistakes;
}

std::vector<std::string> Mocks::warnings() const {
  std::vector<std::string> lines;
  std::vector<std::string> names;
  for (const auto& source : sources_) {
    for (auto& name : source->tools()) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    }
  }
  constexpr std::size_t kMaxNames = 20;
  const auto more = names.size() > kMaxNames ? fmt::format(" and {} more", names.size() - kMaxNames)
                                             : std::string();
  if (names.size() > kMaxNames) names.resize(kMaxNames);
  if (!names.empty())
    lines.push_back(fmt::format("MOCKED: {}{} are answered from {} and not run",
                                fmt::join(names, ", "), more, fmt::join(options_.files, ", ")));
  if (refuses_others())
    lines.push_back(
        "MOCK ONLY: tools without a mock fail with mock_no_match; this worker runs no tool");
  if (recorder_)
    lines.push_back(fmt::format("RECORDED: arguments and results of every tool that runs go to {}",
                                recorder_->path()));
  return lines;
}

}  // namespace toolway::tools::executors::mock
