#include "tests/chaos/history.h"

#include <chrono>

namespace toolway::chaos {

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

const char* fate_name(Fate fate) {
  switch (fate) {
    case Fate::kAccepted: return "accepted";
    case Fate::kRefused: return "refused";
    case Fate::kUnknown: return "unknown";
  }
  return "";
}

void History::add(Post post) {
  const std::lock_guard lock(mutex_);
  line({{"post", post.token},
        {"at", post.at_us},
        {"user", post.user},
        {"session", post.session},
        {"tool", post.tool},
        {"key", post.key},
        {"gateway", post.gateway},
        {"face", post.face},
        {"status", post.status},
        {"code", post.code},
        {"fate", fate_name(post.fate)},
        {"held", post.held},
        {"call_id", post.call_id}});
  if (post.fate == Fate::kAccepted) ++accepted_;
  recorded_.posts.push_back(std::move(post));
}

void Post::take(int answered, const std::string& problem, const OrderedJson& json) {
  done_us = now_us();
  status = answered;
  code = problem;
  call_id = text_at(json, "call_id");
  held = text_at(json, "status") == "awaiting_approval";
  fate = fate_of_post(answered, problem);
}

const char* said_name(Given::Effect said) {
  switch (said) {
    case Given::Effect::kTaken: return "taken";
    case Given::Effect::kSettled: return "settled";
    case Given::Effect::kRefused: return "refused";
    case Given::Effect::kUnknown: return "unknown";
  }
  return "";
}

Fate fate_of_post(int status, const std::string& code) {
  if (status == 200 || status == 202) return Fate::kAccepted;
  if (status == 0 || status == 500 || code == "accept_unknown" || code == "request_in_flight")
    return Fate::kUnknown;
  return Fate::kRefused;
}

void History::add(Stretch stretch) {
  const std::lock_guard lock(mutex_);
  line({{"stretch", stretch.session},
        {"at", stretch.at_us},
        {"user", stretch.user},
        {"gateway", stretch.gateway},
        {"after", stretch.after},
        {"events", stretch.events.size()},
        {"end", stretch.end}});
  for (const auto& event : stretch.events)
    line({{"event", event.id.text()},
          {"session", stretch.session},
          {"call_id", event.call_id},
          {"type", event.type},
          {"attempt", event.attempt},
          {"seq", event.seq},
          {"outcome", event.outcome},
          {"steps", event.steps}});
  recorded_.stretches.push_back(std::move(stretch));
}

void History::add(MailPage page) {
  const std::lock_guard lock(mutex_);
  line({{"mail", page.session},
        {"at", page.at_us},
        {"user", page.user},
        {"gateway", page.gateway},
        {"after", page.after},
        {"next", page.next},
        {"calls", page.calls},
        {"acked", page.acked}});
  recorded_.pages.push_back(std::move(page));
}

void History::add(Look look) {
  const std::lock_guard lock(mutex_);
  line({{"look", look.call_id},
        {"at", look.at_us},
        {"user", look.user},
        {"owner", look.owner},
        {"gateway", look.gateway},
        {"status", look.status},
        {"outcome", look.outcome}});
  recorded_.looks.push_back(std::move(look));
}

void History::add(RpcStretch stretch) {
  const std::lock_guard lock(mutex_);
  line({{"rpc", stretch.method},
        {"at", stretch.at_us},
        {"done", stretch.done_us},
        {"revision", stretch.revision},
        {"session", stretch.session},
        {"gateway", stretch.gateway},
        {"stream", stretch.stream},
        {"after", stretch.after},
        {"goes_on", stretch.goes_on},
        {"token", stretch.token},
        {"call_id", stretch.call_id},
        {"status", stretch.status},
        {"end", stretch.end}});
  for (const auto& message : stretch.messages)
    line({{"message", message.method.empty() ? "answer" : message.method},
          {"time", message.at_us},
          {"stream", stretch.stream},
          {"call_id", stretch.call_id},
          {"event", message.at ? message.at->text() : ""},
          {"progress", message.progress},
          {"text", message.text},
          {"asks", message.asks},
          {"error", message.error},
          {"code", message.code},
          {"outcome", message.reading ? message.reading->outcome : ""},
          {"task", message.task ? message.task->status : ""}});
  recorded_.rpcs.push_back(std::move(stretch));
}

void History::add(Given answer) {
  const std::lock_guard lock(mutex_);
  line({{"given", answer.key},
        {"at", answer.at_us},
        {"done", answer.done_us},
        {"call_id", answer.call_id},
        {"value", answer.value},
        {"face", answer.face},
        {"gateway", answer.gateway},
        {"said", said_name(answer.said)}});
  recorded_.answers.push_back(std::move(answer));
}

void History::add(TaskLook look) {
  const std::lock_guard lock(mutex_);
  line({{"task", look.call_id},
        {"at", look.at_us},
        {"method", look.method},
        {"revision", look.revision},
        {"gateway", look.gateway},
        {"status", look.task.status},
        {"error", look.error},
        {"said", look.said}});
  recorded_.tasks.push_back(std::move(look));
}

void History::add(KeyUse use) {
  const std::lock_guard lock(mutex_);
  line({{"use", use.key_id},
        {"at", use.at_us},
        {"done", use.done_us},
        {"gateway", use.gateway},
        {"status", use.status}});
  recorded_.key_uses.push_back(std::move(use));
}

void History::add(MessagePage page) {
  const std::lock_guard lock(mutex_);
  const auto last = page.messages.empty() ? 0 : page.messages.back().number;
  line({{"messages", page.session},
        {"at", page.at_us},
        {"user", page.user},
        {"gateway", page.gateway},
        {"conversation", page.conversation},
        {"count", page.messages.size()},
        {"last", last}});
  recorded_.message_pages.push_back(std::move(page));
}

void History::note(const std::string& kind, const std::string& text) {
  const std::lock_guard lock(mutex_);
  line({{"note", kind}, {"at", now_us()}, {"text", text}});
  out_.flush();
}

void History::odd(const std::string& what) {
  const std::lock_guard lock(mutex_);
  ++odd_[what];
}

std::uint64_t History::accepted() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

std::map<std::string, std::uint64_t> History::odd_answers() const {
  const std::lock_guard lock(mutex_);
  return odd_;
}

}  // namespace toolway::chaos
