#include "cli/client/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "base/text.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::client {
namespace {

constexpr std::chrono::seconds kWatchInterval{2};
constexpr unsigned kMaxPerPage = 1000;  // more is refused

}  // namespace

Pages read_pages(const ClientContext& context, const std::string& target, unsigned limit,
                 const char* array, const char* cursor) {
  Pages pages;
  std::string next;
  for (unsigned left = limit; left > 0;) {
    const auto asked =
        ask(context, "GET",
            fmt::format("{}limit={}{}", target, std::min(left, kMaxPerPage),
                        next.empty() ? "" : fmt::format("&{}={}", cursor, percent_encoded(next))));
    if (!asked.answer) return {.list = {}, .status = asked.status};
    auto page = asked.answer->json();
    const auto entries = page.value(array, OrderedJson::array());
    left -= std::min(left, static_cast<unsigned>(entries.size()));
    next = cell(page, "next");
    if (pages.list.is_null()) {
      pages.list = std::move(page);
    } else {
      for (const auto& entry : entries) pages.list[array].push_back(entry);
      pages.list["next"] = page["next"];
    }
    if (next.empty()) break;
  }
  if (pages.list.is_null()) pages.list = {{array, OrderedJson::array()}, {"next", nullptr}};
  return pages;
}

void say_more(const ClientContext& context, const OrderedJson& list, const char* array) {
  if (context.view.json() || cell(list, "next").empty()) return;
  std::fflush(stdout);
  const auto shown = list.value(array, OrderedJson::array()).size();
  fmt::print(stderr, "toolway: {} are shown, and there are more: --limit {} shows more\n", shown,
             shown * 10);
}

int read_events(const ClientContext& context, const std::string& path, std::string& cursor,
                const std::function<void(const OrderedJson&)>& take) {
  for (bool more = true; more;) {
    const auto asked =
        ask(context, "GET", fmt::format("{}?limit=1000&after={}", path, percent_encoded(cursor)),
            {}, {{"Accept", "application/json"}});
    if (!asked.answer) return asked.status;
    const auto page = asked.answer->json();
    for (const auto& event : page.value("events", OrderedJson::array())) take(event);
    const auto next = cell(page, "next");
    more = page.value("more", false) && !next.empty() && next != cursor;
    if (!next.empty()) cursor = next;
  }
  return terminal::kExitOk;
}

int show_list(const ClientContext& context, bool watch, const std::function<Pages()>& read,
              const std::function<void(const OrderedJson&)>& print) {
  for (;;) {
    const auto found = read();
    if (found.status != terminal::kExitOk) return found.status;
    if (watch && context.view.terminal) fmt::print("\x1b[H\x1b[2J");
    print(found.list);
    if (!watch) return terminal::kExitOk;
    std::fflush(stdout);
    std::this_thread::sleep_for(kWatchInterval);
  }
}

}  // namespace toolway::cli::client
