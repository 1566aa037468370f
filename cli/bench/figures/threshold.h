#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/bench/figures/condition.h"

namespace toolway::cli::bench::figures {

/// The figures of a run or of one of its groups, by the names that thresholds use: times in
/// milliseconds, shares in percent.
using Figures = std::map<std::string, double, std::less<>>;

/// What a figure is of, and where thresholds may name it.
enum class FigureOf {
  kCalls,  ///< of a group as well as of the whole run, and of `bench`
  kRun,    ///< of the run of a scenario, on a stack of one's own
  kBench,  ///< of `bench` without a scenario: --slo
};

/// A figure that thresholds may name.
struct FigureName {
  std::string_view name;
  std::string_view unit;  ///< ms (us and s as well), %, or nothing
  FigureOf of = FigureOf::kCalls;
  bool correctness = false;  ///< says that calls were kept, not how fast they were
};

/// Null: no figure has this name.
const FigureName* find_figure(std::string_view name);

/// What must hold at the end: `p99 < 50ms`, `error_rate < 0.1%`, `lost == 0`. Of `--slo`:
/// `completion.p99<15ms`, `errors==0`.
struct Threshold {
  std::string text;
  std::string metric;
  Condition::Relation relation = Condition::Relation::kLess;
  double bound = 0;  ///< in the figure's own unit

  bool holds(double value) const { return figures::holds(relation, value, bound); }
};

/// `of`: where it is written, which decides what it may name: in a group (kCalls), next to the
/// groups (kRun), in --slo (kBench). Errors: kInvalidRequest, saying what is wrong and what may be
/// meant.
Result<Threshold> parse_threshold(const std::string& text, FigureOf of);

/// A threshold and what was measured.
struct Judged {
  Threshold threshold;
  std::string group;  ///< empty: of the whole run
  bool measured = false;
  double value = 0;
  bool holds = false;  ///< never, when it was not measured
};
Judged judge(const Threshold& threshold, const std::string& group, const Figures& figures);

/// `12.3 ms`, `0.1 %`, `7`: a figure with its unit.
std::string figure_text(std::string_view name, double value);

}  // namespace toolway::cli::bench::figures
