#include "cli/demo/tour.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/client/reporting.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/table.h"

namespace toolway::cli::demo {

void Tour::heading(const std::string& title) {
  fmt::print("\n{}\n", style_(terminal::Colour::kBold, fmt::format("{}. {}", ++steps_, title)));
  std::fflush(stdout);
}

void Tour::check(bool holds, const std::string& what) {
  ++checks_;
  failed_ += holds ? 0 : 1;
  fmt::print(
      "  {} {}\n",
      holds ? style_(terminal::Colour::kGreen, "ok  ") : style_(terminal::Colour::kRed, "FAIL"),
      what);
  std::fflush(stdout);
}

client::HttpAnswer Tour::ask(std::string_view method, const std::string& target,
                             const OrderedJson& body, const client::HttpClient::Headers& headers) {
  auto answer =
      client_.request(method, target, body.is_null() ? std::string() : to_text(body), headers);
  if (answer && answer->json().is_object()) return std::move(*answer);
  fmt::print("  {}\n", answer ? terminal::shorten(answer->body, 200) : answer.error().message);
  return {.status = answer ? answer->status : 0, .body = "{}"};
}

OrderedJson Tour::call(const std::string& tool, const OrderedJson& arguments) {
  const auto call = ask("POST", fmt::format("{}/calls", kSession),
                        {{"tool", tool}, {"arguments", arguments}}, {{"Prefer", "wait=30"}})
                        .json();
  const bool succeeded = client::cell(call, "outcome") == "succeeded";
  fmt::print("  {} {} = {}\n", tool.substr(tool.find('.') + 1),
             terminal::shorten(to_text(arguments), 60),
             terminal::shorten(client::cell(call, succeeded ? "result" : "error"), 90));
  remember(call);
  return call;
}

void Tour::remember(const OrderedJson& call) {
  if (const auto id = client::cell(call, "call_id"); !id.empty()) calls_.insert(id);
}

void Tour::remember_as_failed(const OrderedJson& call) {
  remember(call);
  failing_.insert(client::cell(call, "call_id"));
}

int Tour::finish() const {
  fmt::print("\n{}\n",
             failed_ == 0
                 ? style_(terminal::Colour::kGreen, fmt::format("All {} checks hold.", checks_))
                 : style_(terminal::Colour::kRed,
                          fmt::format("{} of {} checks failed.", failed_, checks_)));
  return failed_ == 0 ? terminal::kExitOk : terminal::kExitInternal;
}

}  // namespace toolway::cli::demo
