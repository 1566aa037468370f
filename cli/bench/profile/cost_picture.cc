#include "cli/bench/profile/cost_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/bench/results/svg.h"

namespace toolway::cli::bench::profile {
namespace {

using results::box;
using results::kDim;
using results::kInk;
using results::text_at;

constexpr double kWidth = 960;
constexpr double kLeft = 150;   ///< of the bars
constexpr double kBars = 480;   ///< width of the longest
constexpr double kCalls = 810;  ///< right end of the system calls
constexpr double kRight = 936;
constexpr double kTop = 104;
constexpr double kRow = 40;
constexpr double kBar = 24;
constexpr const char* kUser = "#2563eb";
constexpr const char* kSystem = "#93c5fd";

std::string heading(double x, const char* text) {
  return text_at(x, kTop - 14, text, {.anchor = "end"});
}

std::string legend() {
  return box(kLeft, kTop - 24, 12, 12, kUser) + text_at(kLeft + 18, kTop - 14, "user", {}) +
         box(kLeft + 66, kTop - 24, 12, 12, kSystem) +
         text_at(kLeft + 84, kTop - 14, "system; CPU per call", {}) +
         heading(kCalls, "system calls") + heading(kRight, "context switches");
}

std::string row(const char* name, const Cost& cost, double y, double us_wide) {
  const double user = cost.user_us * us_wide;
  const double system = cost.system_us * us_wide;
  const double text = y + kBar - 7;
  return text_at(kLeft - 12, text, name, {.size = 14, .colour = kInk, .anchor = "end"}) +
         box(kLeft, y, user, kBar, kUser) + box(kLeft + user, y, system, kBar, kSystem) +
         text_at(kLeft + user + system + 8, text, fmt::format("{:.0f} us", cost.cpu_us()),
                 {.size = 13, .colour = kInk}) +
         text_at(kCalls, text,
                 cost.system_calls ? fmt::format("{:.1f}", *cost.system_calls) : "unknown",
                 {.size = 13, .colour = kDim, .anchor = "end"}) +
         text_at(kRight, text, fmt::format("{:.1f}", cost.voluntary + cost.involuntary),
                 {.size = 13, .colour = kDim, .anchor = "end"});
}

}  // namespace

std::string cost_picture(const KeptProfile& profile) {
  double most = 1;
  double sum = 0;
  double rows = 0;
  for (const auto& [role, cost] : profile.costs) {
    most = std::max(most, cost.cpu_us());
    sum += cost.cpu_us();
    ++rows;
  }
  const auto& figures = profile.json["figures"];
  auto out = results::svg_head(kWidth, kTop + rows * kRow + 12);
  out += text_at(24, 34, "Where the CPU of a call goes",
                 {.size = 19, .colour = kInk, .weight = "600"});
  out += text_at(
      24, 56,
      fmt::format("{:.0f} us in total, at {:.0f} calls/s, p50 {:.2f} ms, p99 {:.2f} ms; {}, {} "
                  "cores; toolway bench --profile",
                  sum, figures["calls_per_s"].get<double>(), figures["p50"].get<double>(),
                  figures["p99"].get<double>(), profile.json["machine"].value("model", ""),
                  profile.json["machine"].value("cores", 0)),
      {.size = 12.5});
  out += legend();
  double y = kTop;
  for (const auto& role : kRoles) {
    const auto found = profile.costs.find(role.name);
    if (found == profile.costs.end()) continue;
    out += row(role.shown, found->second, y, kBars / most);
    y += kRow;
  }
  return out + "</svg>\n";
}

}  // namespace toolway::cli::bench::profile
