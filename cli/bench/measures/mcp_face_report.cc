// What `bench --face mcp` tells.
#include <fmt/format.h>

#include "cli/bench/measures/mcp_face.h"
#include "cli/bench/results/judged_table.h"

namespace toolway::cli::bench::measures {
namespace {

std::vector<results::JudgedFigure> figures_of(const McpFaceResult& result) {
  std::vector<results::JudgedFigure> figures;
  for (const auto& face : result.calls) {
    const bool rest = &face == &result.calls.front();
    figures.push_back(
        {"calls: " + face.name,
         fmt::format("{:.0f}/s, {:.2f} of REST; p50 {:.2f} ms, {:+.2f}; gateway {:.0f} µs",
                     face.calls_per_s, face.ratio, face.p50_ms, face.over_ms, face.gateway_us),
         rest ? "" : ">= 0.80; p50 <= +0.50 ms",
         rest || (face.ratio >= 0.8 && face.over_ms <= 0.5)});
  }
  const auto polls = [&figures](const char* what, const Polls& polls) {
    figures.push_back({fmt::format("tasks/get of {} tasks that {}", kFaceTasks, what),
                       fmt::format("{:.0f}/s, p99 {:.2f} ms", polls.per_s, polls.p99_ms),
                       ">= 3000/s; p99 <= 15 ms", polls.per_s >= 3000 && polls.p99_ms <= 15});
  };
  figures.push_back({fmt::format("tools/list of {} tools", kFaceTools),
                     fmt::format("p99 {:.2f} ms", result.list_p99_ms), "p99 <= 10 ms",
                     result.list_p99_ms <= 10});
  polls("have ended", result.ended);
  polls("wait for a worker", result.waiting);
  figures.push_back({fmt::format("memory of each of {} sessions by handshake", kFaceHandshakes),
                     fmt::format("{:.3f} KB", result.per_session_kb), "<= 0.1 KB",
                     result.per_session_kb <= 0.1});
  figures.push_back({fmt::format("memory of each of {} open streams", kFaceStreams),
                     fmt::format("{:.1f} KB", result.per_stream_kb), "<= 20 KB",
                     result.per_stream_kb <= 20});
  figures.push_back(
      {fmt::format("{} tasks/result that wait", kFaceTasks),
       fmt::format("{:+d} threads, {:.1f} KB each", result.threads_waiting - result.threads_before,
                   result.per_result_kb),
       "no thread", result.threads_waiting <= result.threads_before});
  const auto& asked = result.questions;
  figures.push_back(
      {fmt::format("{} parked questions", kFaceQuestions),
       fmt::format("{:.0f} slots, {:.1f} KB each; parked in {:.1f} s, answered in {:.1f} s",
                   asked.slots_used, asked.each_kb, asked.parked_s, asked.answered_s),
       "no slot", asked.slots_used == 0});
  return figures;
}

}  // namespace

bool report_mcp_face(const McpFaceResult& result, const terminal::Style& style) {
  return results::print_judged_table(figures_of(result), "WHAT", "MEASURED", style);
}

OrderedJson mcp_face_json(const McpFaceResult& result) {
  OrderedJson calls = OrderedJson::array();
  for (const auto& face : result.calls)
    calls.push_back({{"face", face.name},
                     {"calls_per_s", face.calls_per_s},
                     {"ratio", face.ratio},
                     {"p50_ms", face.p50_ms},
                     {"over_ms", face.over_ms},
                     {"gateway_us", face.gateway_us}});
  const auto polls = [](const Polls& of) {
    return OrderedJson{{"per_s", of.per_s}, {"p99_ms", of.p99_ms}};
  };
  return {{"calls", std::move(calls)},
          {"list_p99_ms", result.list_p99_ms},
          {"polls_ended", polls(result.ended)},
          {"polls_waiting", polls(result.waiting)},
          {"per_session_kb", result.per_session_kb},
          {"per_stream_kb", result.per_stream_kb},
          {"per_result_kb", result.per_result_kb},
          {"threads_more", result.threads_waiting - result.threads_before},
          {"parked_questions",
           {{"slots_used", result.questions.slots_used},
            {"threads_more", result.questions.threads_more},
            {"each_kb", result.questions.each_kb},
            {"parked_s", result.questions.parked_s},
            {"answered_s", result.questions.answered_s}}}};
}

}  // namespace toolway::cli::bench::measures
