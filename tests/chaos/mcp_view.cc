#include "tests/chaos/mcp_view.h"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "tests/chaos/door.h"
#include "tests/chaos/mcp_wire.h"

namespace toolway::chaos {
namespace {

constexpr int kTries = 20;
constexpr std::chrono::milliseconds kBetween{250};

class McpViewReader {
 public:
  McpViewReader(const Place& place, const Watched& session, History& history)
      : gateway_(place.gateway),
        session_(session),
        history_(history),
        wire_(place.entrance, session.user) {}

  std::vector<TaskLook> read(const std::vector<CallRow>& calls, Sampled sampled) {
    if (!initialize()) return {};
    read_list();
    for (auto i = sampled.first; i < calls.size(); i += sampled.one_of) {
      read_one(Era::k2025_11_25, "tasks/result", calls[i].call_id);
      read_one(Era::k2025_11_25, "tasks/get", calls[i].call_id);
      read_one(Era::k2026_07_28, "tasks/get", calls[i].call_id);
    }
    return std::move(looks_);
  }

 private:
  bool initialize() {
    const auto era = Era::k2025_11_25;
    const auto said = ask(era, "initialize", initialize_params(era));
    return said.is_object() && !mcp_session_.empty();
  }

  /// The message that answers; null: it stays refused.
  OrderedJson ask(Era era, const std::string& method, const OrderedJson& params) {
    OrderedJson said;
    McpWire::Reply reply;
    for (int again = 0; again < kTries; ++again) {
      const auto body = request_body(era, ++requests_, method, params, {.tasks = true});
      reply = wire_.send({.gateway = gateway_,
                          .target = "/mcp/" + session_.session,
                          .body = body,
                          .headers = headers_of(era, method, params, mcp_session_)},
                         [&](const OrderedJson& message, const std::string&) {
                           said = message;
                           return true;
                         });
      if (!reply.mcp_session.empty()) mcp_session_ = reply.mcp_session;
      if (said.is_object()) return said;
      if (reply.status == 409) return {};  // of a session that was closed nothing is told here
      std::this_thread::sleep_for(kBetween);
    }
    history_.odd(fmt::format("{} {} after the storm: {} {}", method, revision_of(era), reply.status,
                             text_at(reply.json, "code") + reply.end));
    return {};
  }

  TaskLook look(Era era, const std::string& method, const std::string& call) const {
    return {.user = session_.user,
            .session = session_.session,
            .call_id = call,
            .revision = revision_of(era),
            .method = method,
            .gateway = gateway_,
            .at_us = now_us(),
            .done_us = now_us()};
  }

  void read_list() {
    OrderedJson params = OrderedJson::object();
    for (;;) {
      const auto said = ask(Era::k2025_11_25, "tasks/list", params);
      if (!said.is_object() || !said.contains("result")) return;
      for (const auto& task : said["result"].value("tasks", OrderedJson::array())) {
        const auto seen = read_task(task);
        if (!seen) continue;
        auto one = look(Era::k2025_11_25, "tasks/list", seen->id);
        one.task = *seen;
        looks_.push_back(std::move(one));
      }
      const auto next = text_at(said["result"], "nextCursor");
      if (next.empty()) return;
      params["cursor"] = next;
    }
  }

  void read_one(Era era, const std::string& method, const std::string& call) {
    const auto said = ask(era, method, {{"taskId", call}});
    if (!said.is_object()) return;
    const auto message = read_message(said, {});
    auto one = look(era, method, call);
    one.error = message.error;
    one.said = message.said;
    one.owners = message.owners;
    if (message.task) one.task = *message.task;
    if (message.reading) one.task.reading = message.reading;
    looks_.push_back(std::move(one));
  }

  const std::string& gateway_;
  const Watched& session_;
  History& history_;
  McpWire wire_;
  std::string mcp_session_;
  int requests_ = 0;
  std::vector<TaskLook> looks_;
};

}  // namespace

std::vector<TaskLook> mcp_view_of(const Place& place, const Watched& session,
                                  const std::vector<CallRow>& calls, Sampled sampled,
                                  History& history) {
  return McpViewReader(place, session, history).read(calls, sampled);
}

void answer_the_rest(const std::vector<CallRow>& waiting, const Entrance& entrance,
                     Randomness& random, History& history) {
  Door door(entrance, random);
  for (const auto& call : waiting) {
    const auto events =
        door.ask(call.user, "GET", "/v1/calls/" + call.call_id + "/events?limit=1000", {},
                 {{"Accept", "application/json"}});
    if (events.status != 200) continue;
    std::set<std::string> keys;
    for (const auto& event : events.json.value("events", OrderedJson::array())) {
      const auto seen = read_event(event);
      if (!seen) continue;
      for (const auto& key : seen->keys)
        if (seen->type == "input_requested")
          keys.insert(key);
        else
          keys.erase(key);
    }
    for (const auto& key : keys) {
      Given given{.session = call.session,
                  .call_id = call.call_id,
                  .key = key,
                  .value = "late-" + std::to_string(random.between(0, 1'000'000)),
                  .face = "sweep",
                  .at_us = now_us()};
      const OrderedJson body{{"answers", {{key, answer_of(given.value)}}}};
      const auto answer =
          door.ask(call.user, "POST", "/v1/calls/" + call.call_id + "/input", to_text(body));
      given.gateway = answer.gateway;
      given.done_us = now_us();
      if (answer.status == 200) given.said = Given::Effect::kTaken;
      if (answer.status == 409) given.said = Given::Effect::kRefused;
      history.add(std::move(given));
    }
  }
}

std::vector<Told> read_told(const std::string& file) {
  std::vector<Told> told;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Told one;
    if (!(words >> one.call_id >> one.attempt >> one.key >> one.value)) continue;
    if (one.value == "-") one.value.clear();
    told.push_back(std::move(one));
  }
  return told;
}

}  // namespace toolway::chaos
