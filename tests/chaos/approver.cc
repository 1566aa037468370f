#include "tests/chaos/approver.h"

#include <fmt/format.h>

#include "cli/client/http_client.h"
#include "tests/chaos/users.h"

namespace toolway::chaos {

void decide(Door& door, History& history, Randomness& random, const std::string& call) {
  if (random.chance(0.2)) return;
  // Twice at once, or the opposite of what someone has just said: the first one counts.
  const auto votes = random.between(1, 2);
  for (std::uint64_t i = 0; i < votes; ++i) {
    const char* verb = random.chance(0.75) ? "approve" : "deny";
    const auto answer =
        door.ask(kApprovers[i], "POST", fmt::format("/v1/calls/{}/{}", call, verb), "{}");
    Door::judge(history, "decide", answer, {200, 409});
    history.note("decide", fmt::format("{} {} {} {}", call, verb, answer.status,
                                       text_at(answer.json, "state") + answer.code));
  }
}

void approve_the_rest(const Entrance& entrance) {
  const auto client =
      entrance.client(entrance.gateways.front(), kLateApprover, std::chrono::seconds(5));
  if (!client) return;
  const auto listed = (*client)->request("GET", "/v1/approvals?limit=1000");
  if (!listed || !listed->ok()) return;
  const auto waiting = listed->json();
  for (const auto& one : waiting.value("approvals", OrderedJson::array())) {
    (void)(*client)->request("POST", fmt::format("/v1/calls/{}/approve", text_at(one, "call_id")),
                             "{}");
  }
}

}  // namespace toolway::chaos
