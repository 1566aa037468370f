#include "extensions/chain/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <ranges>

namespace toolway::extensions::chain {
namespace {

using Phase = ChainMetrics::Phase;

/// Runs `work`, and says what it throws; empty: nothing.
template <typename Work>
std::string thrown_by(Work work) {
  try {
    work();
    return {};
  } catch (const std::exception& e) {
    return *e.what() == '\0' ? "an exception" : e.what();
  } catch (...) {
    return "something that is not a std::exception was thrown";
  }
}

Error cannot_judge(std::string_view extension) {
  return {
      ErrorCode::kInternal,
      fmt::format("extension {} failed, and calls that it cannot judge are refused", extension)};
}

}  // namespace

Chain Chain::of(const PolicyPtr& policy, std::span<const ExtensionType> types) {
  std::vector<const ExtensionType*> ordered;
  for (const auto& type : types) ordered.push_back(&type);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto* a, const auto* b) { return a->priority < b->priority; });
  std::vector<Link> links;
  for (const auto* type : ordered) {
    auto extension = type->make(policy);
    if (!extension) continue;
    links.push_back({.name = type->name,
                     .on_failure = on_failure_of(*policy, type->name),
                     .extension = std::move(extension)});
  }
  return Chain(std::move(links));
}

Verdict Chain::before(const Facts& facts, ChainMetrics& metrics) const {
  Verdict verdict;
  for (const Link& link : links_) {
    Decision decision;
    const auto begun = metrics.now();
    const auto why = thrown_by([&] { decision = link.extension->before(facts); });
    metrics.took(link.name, Phase::kBefore, metrics.now() - begun);
    if (!why.empty()) {
      metrics.failed(link.name, link.on_failure, why);
      if (link.on_failure == OnFailure::kOpen) continue;
      verdict.refusal = cannot_judge(link.name);
      return verdict;
    }
    const bool holds = decision.hold && !verdict.hold;
    if (holds) {
      verdict.hold = std::move(decision.hold);
      verdict.held_because = decision.because;
    }
    if (!decision.because.empty()) verdict.said.push_back({link.name, std::move(decision.because)});
    if (decision.refusal) {
      metrics.refused(link.name);
      verdict.refusal = std::move(decision.refusal);
      return verdict;
    }
    for (auto& limit : decision.limits)
      verdict.limits.push_back({std::move(limit), link.on_failure});
    if (holds)
      metrics.held(link.name);
    else if (decision.limits.empty())  // otherwise its limits decide
      metrics.allowed(link.name);
  }
  return verdict;
}

tools::model::Execution Chain::after(const Facts& facts, tools::model::Execution result,
                                     ChainMetrics& metrics) const {
  for (const Link& link : std::views::reverse(links_)) {
    const auto begun = metrics.now();
    tools::model::Execution next;
    // The next extension must not get what a failed one left half done.
    const auto why = thrown_by([&] { next = link.extension->after(facts, result); });
    metrics.took(link.name, Phase::kAfter, metrics.now() - begun);
    if (why.empty()) {
      result = std::move(next);
      continue;
    }
    metrics.failed(link.name, link.on_failure, why);
    if (link.on_failure == OnFailure::kClosed)
      result = tl::unexpected(tools::model::ToolError(cannot_judge(link.name)));
  }
  return result;
}

}  // namespace toolway::extensions::chain
