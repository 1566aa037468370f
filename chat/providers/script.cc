#include "chat/providers/script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/digits.h"
#include "base/text.h"
#include "tools/specs/fields.h"
#include "tools/specs/trees.h"

namespace toolway::chat::providers {
namespace {

namespace specs = tools::specs;
using tools::messages::Message;
using tools::messages::Role;

constexpr Range<std::int64_t> kDelay{0, 600'000};
constexpr std::size_t kMaxShownElements = 10;

/// `filesystem.list_directory` is `filesystem__list_directory` to a model.
std::string api_name(std::string tool) {
  if (tool.starts_with("default.")) return tool.substr(8);
  if (const auto dot = tool.find('.'); dot != std::string::npos) tool.replace(dot, 1, "__");
  return tool;
}

void read_call(const specs::NamedMember& item, Mistakes& mistakes, ScriptReply& reply) {
  if (!item.value->is_map())
    return mistakes.add(item.line, "a call must be a mapping: `tool`, and `arguments`");
  specs::Fields fields(*item.value, "a call", mistakes);
  tools::messages::Call call;
  fields.required_text("tool", call.tool);
  call.tool = api_name(std::move(call.tool));
  call.arguments = "{}";
  const auto* arguments = fields.find("arguments");
  // A text is what a model may write that is not JSON.
  if (arguments != nullptr)
    call.arguments = arguments->value->is_text() ? arguments->value->scalar.get<std::string>()
                                                 : to_text(specs::to_json(*arguments->value));
  fields.text("id", call.id);
  fields.nothing_else();
  reply.calls.push_back(std::move(call));
}

void read_reply(const specs::NamedMember& item, Mistakes& mistakes, ScriptTurn& turn) {
  if (!item.value->is_map())
    return mistakes.add(item.line, "a reply must be a mapping: `text`, `calls`, or both");
  specs::Fields fields(*item.value, "a reply", mistakes);
  ScriptReply reply;
  fields.text("text", reply.text);
  if (const auto* calls = fields.list("calls"))
    for (const auto& call : specs::members_of(*calls)) read_call(call, mistakes, reply);
  if (fields.find("inline_ms") != nullptr) {
    std::chrono::milliseconds wait{0};
    fields.milliseconds("inline_ms", wait, kDelay);
    reply.inline_ms = static_cast<unsigned>(wait.count());
  }
  fields.milliseconds("delay_ms", reply.delay, kDelay);
  fields.milliseconds("word_ms", reply.pacing, kDelay);
  std::string finish = "stop";
  fields.text("finish", finish);
  if (const auto parsed = tools::messages::parse_finish(finish))
    reply.finish = *parsed;
  else
    fields.wrong("finish", "`finish` must be stop, length, refusal, filtered or paused");
  fields.nothing_else();
  turn.replies.push_back(std::move(reply));
}

void read_turn(const specs::NamedMember& item, Mistakes& mistakes, Script& script) {
  if (!item.value->is_map())
    return mistakes.add(item.line, "a turn must be a mapping: `when`, and `replies`");
  specs::Fields fields(*item.value, "a turn", mistakes);
  ScriptTurn turn;
  fields.text("when", turn.when);
  const auto* replies = fields.list("replies");
  if (replies == nullptr || replies->members.empty())
    fields.wrong_whole("a turn has `replies`, a list of at least one");
  else
    for (const auto& reply : specs::members_of(*replies)) read_reply(reply, mistakes, turn);
  fields.nothing_else();
  script.turns.push_back(std::move(turn));
}

/// Where the turn begins that is going on; the end: there is none.
std::size_t last_of_user(const std::vector<const Message*>& messages) {
  for (auto i = messages.size(); i-- > 0;)
    if (messages[i]->role == Role::kUser) return i;
  return messages.size();
}

void find_in(const OrderedJson& value, std::string_view path, std::vector<std::string>& found) {
  if (path.empty())
    return found.push_back(value.is_string() ? value.get<std::string>() : to_text(value));
  path.remove_prefix(1);
  const auto end = std::min(path.find('/'), path.size());
  const auto step = path.substr(0, end);
  const auto rest = path.substr(end);
  if (value.is_array() && step == "*") {
    for (const auto& element : value) find_in(element, rest, found);
  } else if (value.is_array() && parse_saturated(step).value_or(value.size()) < value.size()) {
    find_in(value[*parse_saturated(step)], rest, found);
  } else if (value.is_object() && value.contains(std::string(step))) {
    find_in(value[std::string(step)], rest, found);
  }
}

std::string found_in_results(const Message* results, std::string_view path) {
  std::vector<std::string> found;
  if (results != nullptr) {
    for (const auto& result : results->results) {
      if (path.empty()) {
        found.push_back(result.text);
      } else if (const auto json = parse_ordered_json(result.text); json && found.empty()) {
        find_in(*json, path, found);
      }
    }
  }
  if (found.empty()) return "?";
  const bool more = found.size() > kMaxShownElements;
  if (more) found.resize(kMaxShownElements);
  return fmt::format("{}{}", fmt::join(found, ", "), more ? ", …" : "");
}

}  // namespace

Script read_script(std::string_view text, std::string_view origin) {
  Script script;
  Mistakes mistakes(origin);
  if (const auto tree = specs::read_tree(text, mistakes)) {
    if (!tree->is_map()) {
      mistakes.add(tree->line, "the file must be a mapping: `turns:` with a list of turns");
    } else {
      specs::Fields fields(*tree, "the file", mistakes);
      const auto* turns = fields.list("turns");
      fields.nothing_else();
      if (turns != nullptr)
        for (const auto& turn : specs::members_of(*turns)) read_turn(turn, mistakes, script);
    }
  }
  if (mistakes.count() == 0 && script.turns.empty()) mistakes.add(1, "the file has no turns");
  script.mistakes = std::move(mistakes).take();
  return script;
}

const ScriptReply* next_reply(const Script& script, const std::vector<const Message*>& messages) {
  const auto user = last_of_user(messages);
  if (user == messages.size()) return nullptr;
  const auto said = lowered(messages[user]->text);
  const auto turn = std::find_if(
      script.turns.begin(), script.turns.end(),
      [&](const ScriptTurn& one) { return said.find(lowered(one.when)) != std::string::npos; });
  if (turn == script.turns.end()) return nullptr;
  const auto replied = static_cast<std::size_t>(
      std::count_if(messages.begin() + static_cast<std::ptrdiff_t>(user), messages.end(),
                    [](const Message* message) { return message->role == Role::kAssistant; }));
  return replied < turn->replies.size() ? &turn->replies[replied] : nullptr;
}

std::string filled(const std::string& text, const std::vector<const Message*>& messages) {
  constexpr std::string_view kOpens = "{{result";
  const auto results = std::find_if(messages.rbegin(), messages.rend(),
                                    [](const Message* one) { return one->role == Role::kResults; });
  const Message* last = results == messages.rend() ? nullptr : *results;
  constexpr std::string_view kEvent = "{{event}}";
  if (const auto at = text.find(kEvent); at != std::string::npos) {
    const auto injected = std::find_if(messages.rbegin(), messages.rend(), [](const Message* one) {
      return one->role == Role::kInjected;
    });
    return filled(text.substr(0, at), messages) +
           (injected == messages.rend() ? "?" : (*injected)->text) +
           filled(text.substr(at + kEvent.size()), messages);
  }
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const auto open = text.find(kOpens, at);
    const auto close = open == std::string::npos ? open : text.find("}}", open);
    if (close == std::string::npos) return made + text.substr(at);
    made += text.substr(at, open - at);
    const auto begin = open + kOpens.size();
    made += found_in_results(last, std::string_view(text).substr(begin, close - begin));
    at = close + 2;
  }
  return made;
}

}  // namespace toolway::chat::providers
