#include "tools/executors/mock/mock_tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "base/mutex.h"
#include "base/pause.h"
#include "tools/matching/arguments_digest.h"
#include "tools/native/native_tool.h"
#include "tools/templates/double_braces.h"

namespace toolway::tools::executors::mock {
namespace {

tl::unexpected<model::ToolError> stopped() {
  return tl::unexpected(model::ToolError(std::string(code_name(ErrorCode::kCancelled)),
                                         "the mocked call was asked to stop"));
}

class MockTool final : public model::Tool {
 public:
  MockTool(model::Spec spec, std::vector<std::shared_ptr<AnswerSource>> sources,
           MockEffects effects)
      : spec_(std::move(spec)), sources_(std::move(sources)), effects_(std::move(effects)) {}

  const model::Spec& spec() const override { return spec_; }

  model::Execution execute(const Json& given, model::ToolContext& context,
                           model::Progress& progress) const override {
    const Json arguments = native::with_defaults(spec_.input_schema, given);
    std::vector<MockCandidate> candidates;
    for (const auto& source : sources_) {
      // Recordings have the arguments as they were given, scripts are easier to write with the
      // defaults filled in.
      auto choice = source->choose(spec_.qualified_name(),
                                   source->fills_defaults() ? arguments : given, candidates);
      if (!choice) continue;
      context.log(
          model::LogLevel::kInfo,
          fmt::format("mock: answered by {}; the tool itself was not run", choice->answer->at));
      return play(*choice,
                  {.arguments = arguments, .attempt = context.attempt(), .count = choice->count},
                  context, progress);
    }
    return no_match(given, std::move(candidates));
  }

 private:
  model::Execution play(const MockChoice& choice, const templates::BracesInput& call,
                        model::ToolContext& context, model::Progress& progress) const {
    const MockAnswer& answer = *choice.answer;
    const auto stop = context.cancellation();
    std::chrono::milliseconds now{0};
    const auto pause_until = [&](std::chrono::milliseconds time) {
      const auto wait = std::max(time - now, std::chrono::milliseconds(0));
      now += wait;
      return effects_.pause(wait, stop);
    };
    for (const auto& [after, report] : answer.progress) {
      if (!pause_until(after)) return stopped();
      auto filled = report;
      if (answer.has_templates) {
        auto message = templates::fill_braces_in_text(report.message, call);
        auto data = templates::fill_braces(report.data, call);
        if (!message || !data) return incomplete(answer, message ? data.error() : message.error());
        filled.message = *std::move(message);
        filled.data = *std::move(data);
      }
      progress.report(std::move(filled));
    }
    if (!pause_until(choice.delay)) return stopped();
    return end(answer, call, context);
  }

  model::Execution end(const MockAnswer& answer, const templates::BracesInput& call,
                       model::ToolContext& context) const {
    switch (answer.end) {
      case MockEnd::kResult: {
        if (!answer.has_templates) return answer.result;
        auto filled = templates::fill_braces(answer.result, call);
        return filled ? model::Execution(*std::move(filled)) : incomplete(answer, filled.error());
      }
      case MockEnd::kError: {
        auto error = answer.error;
        if (answer.has_templates) {
          auto message = templates::fill_braces_in_text(error.message, call);
          auto details = templates::fill_braces(error.details, call);
          if (!message || !details)
            return incomplete(answer, message ? details.error() : message.error());
          error.message = *std::move(message);
          error.details = *std::move(details);
        }
        return tl::unexpected(std::move(error));
      }
      case MockEnd::kToolCrash:
        return tl::unexpected(
            model::ToolError(std::string(code_name(ErrorCode::kToolCrashed)),
                             fmt::format("the mock at {} plays a tool that crashes", answer.at)));
      case MockEnd::kWorkerCrash: effects_.end_process(); return stopped();
      case MockEnd::kHang:
        effects_.hang();
        context.ended_by_force();
        return stopped();
    }
    return stopped();
  }

  model::Execution incomplete(const MockAnswer& answer, const Error& why) const {
    return tl::unexpected(model::ToolError(
        "mock_incomplete",
        fmt::format("the mock at {} cannot be filled in: {}", answer.at, why.message)));
  }

  model::Execution no_match(const Json& arguments, std::vector<MockCandidate> candidates) const {
    keep_nearest(candidates);
    const auto name = spec_.qualified_name();
    model::ToolError error(
        "mock_no_match",
        sources_.empty()
            ? fmt::format("{} has no mock, and this worker runs nothing that is not mocked", name)
            : fmt::format("no mock of {} has an answer for these arguments", name));
    Json nearest = Json::array();
    for (const auto& [at, why] : candidates) {
      error.message +=
          fmt::format("{}{}: {}", nearest.empty() ? "; nearest: " : "; ", at, fmt::join(why, ", "));
      nearest.push_back({{"at", at}, {"why", why}});
    }
    error.details = {{"tool", name},
                     {"arguments_digest", matching::arguments_digest(arguments)},
                     {"candidates", std::move(nearest)}};
    return tl::unexpected(std::move(error));
  }

  const model::Spec spec_;
  const std::vector<std::shared_ptr<AnswerSource>> sources_;
  const MockEffects effects_;
};

}  // namespace

MockEffects MockEffects::real() {
  return {.pause = &toolway::pause,
          .hang =
              [] {
                Mutex mutex;
                CondVar never;
                MutexLock lock(mutex);
                never.wait(lock, [] { return false; });
              },
          .end_process = [] { kill(getpid(), SIGKILL); }};
}

std::shared_ptr<const model::Tool> mock_tool(model::Spec spec,
                                             std::vector<std::shared_ptr<AnswerSource>> sources,
                                             MockEffects effects) {
  return std::make_shared<const MockTool>(std::move(spec), std::move(sources), std::move(effects));
}

}  // namespace toolway::tools::executors::mock
