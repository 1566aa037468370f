#include "tests/chaos/report.h"

#include <fmt/format.h>

#include <fstream>

namespace toolway::chaos {
namespace {

std::string listed(const std::map<std::string, std::uint64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  return text.empty() ? "none" : text;
}

double percentile(const std::vector<std::int64_t>& sorted, double part) {
  if (sorted.empty()) return 0;
  return static_cast<double>(
             sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))]) /
         1e6;
}

std::string recovery_line(const std::vector<std::int64_t>& times) {
  if (times.empty()) return "no call was taken over";
  return fmt::format("{} taken over; p50 {:.1f} s, p99 {:.1f} s, longest {:.1f} s", times.size(),
                     percentile(times, 0.5), percentile(times, 0.99), percentile(times, 1));
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

std::string number_in(const std::string& line, const std::string& field) {
  const auto mark = "\"" + field + "\":";
  const auto at = line.find(mark);
  if (at == std::string::npos) return {};
  return line.substr(at + mark.size(), line.find_first_of(",}", at) - at - mark.size());
}

}  // namespace

TalkFigures figures_of(const std::vector<TurnEnd>& turns,
                       const std::vector<ConversationEnd>& conversations) {
  TalkFigures figures{.conversations = conversations.size()};
  for (const auto& turn : turns) {
    ++figures.turns[turn.outcome + (turn.code.empty() ? "" : " (" + turn.code + ")")];
    if (turn.step == "continue") ++figures.by_themselves;
  }
  for (const auto& conversation : conversations) {
    figures.messages += conversation.messages.size();
    for (const auto& message : conversation.messages)
      figures.told += list_at(message.body, "about").size();
  }
  return figures;
}

void count_requests(const Recorded& seen, Summary& summary) {
  for (const auto& post : seen.posts) {
    ++summary.fates[fate_name(post.fate)];
    if (post.fate == Fate::kRefused) ++summary.refusals[post.code];
    if (post.fate == Fate::kAccepted) ++summary.faces[post.face];
  }
  for (const auto& answer : seen.answers)
    ++summary.answers[fmt::format("{} by {}", said_name(answer.said), answer.face)];
  for (const auto& stretch : seen.rpcs)
    ++summary.rpcs[stretch.after.empty() ? stretch.method : "resumed"];
}

std::string report_text(const Summary& summary) {
  std::string text = "| property | checked | violations |\n|---|---|---|\n";
  for (std::size_t i = 0; i < kProperties; ++i) {
    const auto property = static_cast<Property>(i);
    const auto& verdict = summary.verdicts[property];
    text += fmt::format("| {} | {} | {} |\n", property_text(property),
                        verdict.checked == 0 ? "not looked at" : std::to_string(verdict.checked),
                        verdict.violated);
  }
  const auto accepted = summary.fates.contains("accepted") ? summary.fates.at("accepted") : 0;
  text += "\n| | |\n|---|---|\n";
  const auto row = [&](const char* name, const std::string& value) {
    text += fmt::format("| {} | {} |\n", name, value);
  };
  row("seed", std::to_string(summary.options.seed));
  row("storm", fmt::format("{:.0f} s, then {:.1f} s until nothing was pending",
                           summary.storm_seconds, summary.quiet_seconds));
  row("requests for calls", listed(summary.fates));
  row("accepted by face", listed(summary.faces));
  row("requests over MCP", listed(summary.rpcs));
  row("answers to questions", listed(summary.answers));
  row("refused because of", listed(summary.refusals));
  row("outcomes", listed(summary.outcomes));
  row("throughput",
      fmt::format("{:.0f} calls/s accepted; {} events",
                  static_cast<double>(accepted) / std::max(summary.storm_seconds, 1.0),
                  summary.events));
  row("kills (-9) and freezes",
      fmt::format("{} and {}", summary.deeds.kills(), summary.deeds.freezes()));
  row("servers started again",
      fmt::format("{}, because they did not answer for 15 s or ended by themselves",
                  summary.server_restarts));
  row("faults", listed(summary.deeds.counts));
  row("calls of broken attempts", recovery_line(summary.recovery_us));
  if (summary.options.converses()) {
    row("turns of broken attempts", recovery_line(summary.turn_recovery_us));
    row("turns", listed(summary.talk.turns));
    row("conversations",
        fmt::format(
            "{}, with {} messages; {} turns began by themselves, {} ends of calls were told; "
            "{} requests to the model",
            summary.talk.conversations, summary.talk.messages, summary.talk.by_themselves,
            summary.talk.told, summary.talk.requests));
  }
  row("deepest queue",
      fmt::format("{} waiting, {} unacknowledged, in {} samples", summary.deepest.pending,
                  summary.deepest.ack_pending, summary.deepest.samples));
  for (const auto& [what, count] : summary.odd)
    row("odd answer", fmt::format("{} × {}", count, what));
  for (const auto& end : summary.ends)
    row("ended by itself",
        fmt::format("{}, status {}: {}", end.name, end.status, last_line(end.log)));
  return text;
}

std::string excerpt(const std::string& history_file, const Violation& violation, std::size_t most) {
  const auto& wanted = violation.call_id.empty() ? violation.session : violation.call_id;
  if (wanted.empty()) return {};
  std::ifstream in(history_file);
  std::multimap<std::int64_t, std::string> lines;
  std::int64_t at = 0;
  for (std::string line; std::getline(in, line);) {
    // Events have the time of the connection that brought them.
    if (const auto said = number_in(line, "at"); !said.empty())
      at = std::strtoll(said.c_str(), nullptr, 10);
    if (line.find(wanted) != std::string::npos) lines.emplace(at, line);
    if (lines.size() > most) break;
  }
  std::string text;
  for (const auto& [time, line] : lines) text += "    " + line + "\n";
  return text;
}

std::string violations_text(const Verdicts& verdicts, const Options& options) {
  std::string text;
  for (std::size_t i = 0; i < kProperties; ++i) {
    const auto& verdict = verdicts[static_cast<Property>(i)];
    if (verdict.violated == 0) continue;
    text += fmt::format("\n{} ({} times):\n", property_text(static_cast<Property>(i)),
                        verdict.violated);
    for (const auto& example : verdict.examples)
      text += fmt::format("  - {}{}{}\n", example.what,
                          example.session.empty() ? "" : ", session " + example.session,
                          example.call_id.empty() ? "" : ", call " + example.call_id);
    // The shortest history that shows one of them.
    std::string shortest;
    for (const auto& example : verdict.examples) {
      auto lines = excerpt(options.directory + "/history.jsonl", example, 60);
      if (!lines.empty() && (shortest.empty() || lines.size() < shortest.size()))
        shortest = std::move(lines);
    }
    text += shortest;
  }
  text += fmt::format(
      "\nTo repeat it: ./run chaos --seed {}. The history is {}/history.jsonl, the logs are in "
      "{}/logs.\n",
      options.seed, options.directory, options.directory);
  return text;
}

}  // namespace toolway::chaos
