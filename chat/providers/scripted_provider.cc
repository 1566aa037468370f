#include "chat/providers/scripted_provider.h"

#include <fmt/format.h>

#include "base/os/file_io.h"
#include "base/pause.h"
#include "base/try.h"
#include "chat/window/tokens.h"

namespace toolway::chat::providers {
namespace {

using tools::messages::Message;
using tools::messages::Part;

class ScriptedProvider final : public Provider {
 public:
  explicit ScriptedProvider(Script script) : script_(std::move(script)) {}

  const std::string& id() const override { return id_; }
  tools::exports::ModelApi api() const override { return tools::exports::ModelApi::kOpenAi; }

  ReplyResult ask(const ModelRequest& request, const OnText& on_text,
                  std::stop_token stop) override {
    const auto* reply = next_reply(script_, request.messages);
    if (reply == nullptr)
      return fail_with(ProviderError::Kind::kRefused,
                       "the script has no reply to this: add a turn whose `when` fits, or one more "
                       "of its `replies`");
    if (!pause(reply->delay, stop)) return stopped();
    Message message{
        .role = tools::messages::Role::kAssistant, .finish = reply->finish, .model = "scripted"};
    const auto text = filled(reply->text, request.messages);
    if (!play(text, reply->pacing, on_text, stop)) return stopped();
    if (!text.empty()) message.parts.push_back({.kind = Part::Kind::kText, .text = text});
    for (const auto& call : reply->calls)
      message.parts.push_back({.kind = Part::Kind::kCall, .call = call});
    if (!reply->calls.empty() && reply->finish == tools::messages::Finish::kStop)
      message.finish = tools::messages::Finish::kCalls;
    message.inline_ms = reply->inline_ms;
    message.usage = usage_of(request, message);
    return message;
  }

 private:
  static tl::unexpected<ProviderError> stopped() {
    return fail_with(ProviderError::Kind::kStopped, "the turn was stopped");
  }

  /// Word by word. False: it was stopped.
  static bool play(std::string_view text, std::chrono::milliseconds pacing, const OnText& on_text,
                   const std::stop_token& stop) {
    while (!text.empty()) {
      const auto space = text.find(' ', 1);
      on_text(text.substr(0, space));
      text.remove_prefix(std::min(space, text.size()));
      if (!text.empty() && !pause(pacing, stop)) return false;
    }
    return !stop.stop_requested();
  }

  static tools::messages::Usage usage_of(const ModelRequest& request, const Message& message) {
    auto input = request.tools->tokens;
    for (const auto* one : request.messages) input += window::tokens_of(*one);
    return {.input = static_cast<std::uint64_t>(window::sum(input.likely)),
            .output = static_cast<std::uint64_t>(window::sum(window::tokens_of(message).likely))};
  }

  const Script script_;
  const std::string id_ = "scripted";
};

}  // namespace

std::unique_ptr<Provider> make_scripted_provider(Script script) {
  return std::make_unique<ScriptedProvider>(std::move(script));
}

Result<std::unique_ptr<Provider>> open_scripted_provider(const std::string& path) {
  ASSIGN_OR_RETURN(const auto text, os::read_file(path));
  auto script = read_script(text, path);
  if (script.mistakes.empty()) return make_scripted_provider(std::move(script));
  std::string all;
  for (const Mistake& mistake : script.mistakes) all += "\n  " + mistake.text();
  return fail(ErrorCode::kInvalidSpec, "the script has mistakes:" + all);
}

}  // namespace toolway::chat::providers
