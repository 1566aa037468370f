#include "tests/chaos/final_reader.h"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "base/text.h"
#include "cli/client/http_client.h"
#include "tools/http/sse_reader.h"

namespace toolway::chaos {
namespace {

constexpr std::size_t kEveryNth = 20;  ///< of the calls is also asked for by its id

CallShown shown(const OrderedJson& call) {
  CallShown seen{.call_id = text_at(call, "call_id"), .outcome = text_at(call, "outcome")};
  std::string bytes;
  for (const char* field :
       {"outcome", "result", "result_ref", "content", "error", "attempt", "completed_at"})
    if (call.contains(field)) bytes += to_text(call[field]) + '\n';
  seen.digest = std::hash<std::string>{}(bytes);
  seen.reading = reading_of_call(call);
  return seen;
}

class ViewReader {
 public:
  ViewReader(const Entrance& entrance, const std::string& gateway, const Watched& session,
             History& history)
      : session_(session), history_(history) {
    view_.gateway = gateway;
    if (auto client = entrance.client(gateway, session.user, std::chrono::seconds(30)))
      client_ = std::move(*client);
  }

  GatewayView read(Mailbox mailbox) {
    if (!client_) return view_;
    read_page();
    read_replay();
    read_calls();
    if (mailbox == Mailbox::kRead) read_mailbox();
    return std::move(view_);
  }

 private:
  OrderedJson get(const std::string& target, const char* what) {
    return get_patiently(*client_, target, what, history_);
  }

  std::string path(const char* rest) const { return "/v1/sessions/" + session_.session + rest; }

  void read_page() {
    std::string after = "0";
    for (bool more = true; more;) {
      const auto page = get(path("/events?limit=1000&after=") + after, "events as a page");
      if (!page.is_object()) return;
      for (const auto& event : page["events"])
        if (auto seen = read_event(event)) view_.page.push_back(std::move(*seen));
      more = page.value("more", false);
      after = text_at(page, "next");
    }
  }

  void read_replay() {
    if (view_.page.empty()) return;
    const auto last = view_.page.back().id;
    bool done = false;
    tools::http::SseReader reader([&](const tools::http::SseEvent& event) {
      const auto json = parse_ordered_json(event.data, 1000);
      auto seen = json ? read_event(*json) : std::nullopt;
      if (!seen) return history_.odd("an SSE message that is not an event: " + event.id);
      done = seen->id >= last;
      view_.replay.push_back(std::move(*seen));
    });
    const auto answer = client_->stream(
        path("/events?after=0"), {}, std::chrono::seconds(10), [] {},
        [&](std::string_view bytes) { return reader.feed(bytes) && !done; });
    if (answer && answer->status != 200)
      history_.odd(fmt::format("events as a stream after the storm: {}", answer->status));
  }

  void read_calls() {
    std::string before;
    for (;;) {
      const auto page = get(path("/calls?limit=1000") + (before.empty() ? "" : "&before=" + before),
                            "list of calls");
      if (!page.is_object()) return;
      for (const auto& call : page["calls"]) {
        auto seen = shown(call);
        if (view_.calls.size() % kEveryNth == 0) {
          const auto single = get("/v1/calls/" + seen.call_id, "call by id");
          if (single.is_object()) view_.single[seen.call_id] = shown(single);
          if (single.is_object() && single["result_ref"].is_object()) read_result(single);
        }
        view_.calls[seen.call_id] = std::move(seen);
      }
      before = text_at(page, "next");
      if (before.empty()) return;
    }
  }

  /// A result over the inline cap, whole.
  void read_result(const OrderedJson& call) {
    const auto answer = client_->request("GET", text_at(call["result_ref"], "href"));
    const auto size = number_at(call["result_ref"], "size");
    if (!answer || answer->status != 200 || answer->body.size() != size ||
        owners_in(answer->body) != session_.user)
      history_.odd(fmt::format("large result of {}: {}, {} of {} bytes", text_at(call, "call_id"),
                               answer ? answer->status : 0, answer ? answer->body.size() : 0,
                               size));
  }

  void read_mailbox() {
    std::string after = "0";
    for (;;) {
      const auto page =
          get(path("/completions?limit=200&after=") + percent_encoded(after), "mailbox");
      if (!page.is_object() || !page.contains("completions")) return;
      view_.mailbox_read = true;
      for (const auto& completion : page["completions"])
        view_.mailbox.push_back(text_at(completion, "call_id"));
      const auto next = text_at(page, "next");
      if (page["completions"].empty() || next.empty() || next == after) return;
      after = next;
    }
  }

  const Watched& session_;
  History& history_;
  std::unique_ptr<cli::client::HttpClient> client_;
  GatewayView view_;
};

}  // namespace

OrderedJson get_patiently(cli::client::HttpClient& client, const std::string& target,
                          const char* what, History& history) {
  std::string last;
  for (int attempt = 0; attempt < 20; ++attempt) {
    auto answer = client.request("GET", target, {}, {{"Accept", "application/json"}});
    if (answer && answer->status == 200) return answer->json();
    last = answer ? fmt::format("{} {}", answer->status, text_at(answer->json(), "code"))
                  : answer.error().message;
    if (answer && answer->status != 503 && answer->status != 429) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
  }
  history.odd(fmt::format("{} after the storm: {}", what, last));
  return {};
}

GatewayView view_of(const Place& place, const Watched& session, Mailbox mailbox, History& history) {
  return ViewReader(place.entrance, place.gateway, session, history).read(mailbox);
}

std::vector<Trace> read_traces(const std::string& file) {
  std::vector<Trace> traces;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Trace trace;
    if (words >> trace.call_id >> trace.attempt >> trace.at_us >> trace.token)
      traces.push_back(std::move(trace));
  }
  return traces;
}

}  // namespace toolway::chaos
