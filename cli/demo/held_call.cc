#include "cli/demo/held_call.h"

#include <fmt/format.h>

#include "cli/client/call_wait.h"
#include "cli/client/follow.h"
#include "cli/client/reporting.h"

namespace toolway::cli::demo {

void show_held_call(Tour& tour, const std::string& url) {
  tour.heading("A dangerous tool, whose calls wait until someone else has approved them");
  tour.call("examples.write_file", {{"path", "old.txt"}, {"content", "not needed any more"}});
  const auto accepted =
      tour.ask("POST", std::string(Tour::kSession) + "/calls",
               {{"tool", "examples.dangerous_delete"}, {"arguments", {{"path", "old.txt"}}}})
          .json();
  const auto id = client::cell(accepted, "call_id");
  const auto path = "/v1/calls/" + id;
  fmt::print("  {} {}\n", client::cell(accepted, "status"), id);
  tour.check(client::cell(accepted, "status") == client::kAwaitingApproval,
             "it is accepted, and waits for approval");
  const auto own = tour.ask("POST", path + "/approve", OrderedJson::object());
  tour.check(own.status == 403, "who asked for it may not approve it");
  const auto checker = client::HttpClient::create({.url = url, .user = "checker"});
  if (!checker) return tour.check(false, checker.error().message);
  const auto approved = (*checker)->request("POST", path + "/approve", R"({"reason": "seen"})");
  tour.check(approved && client::cell(approved->json(), "state") == "approved",
             "user checker approves it");
  OrderedJson ended;
  const auto followed = client::follow_events(tour.client(), path + "/events", "0",
                                              [&](const tools::http::SseEvent& event) {
                                                if (event.type.starts_with("approval"))
                                                  fmt::print("  {}\n", event.type);
                                                if (event.type != "completed") return true;
                                                if (auto parsed = parse_ordered_json(event.data))
                                                  ended = std::move(*parsed);
                                                return false;
                                              });
  if (!followed) return tour.check(false, followed.error().message);
  fmt::print("  {}\n", client::cell(ended, "outcome"));
  tour.remember(ended);
  tour.check(client::cell(ended, "outcome") == "succeeded", "then it runs");
}

}  // namespace toolway::cli::demo
