#include "extensions/chain/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <ranges>

namespace toolway::extensions::chain {
namespace {

using Phase = ChainMetrics::Phase;

/// Runs `work`, and says why what it did does not count; empty: it does. What takes too long cannot
/// be cut short, since it runs on this thread.
template <typename Work>
std::string failure_of(Work work, const Chain::Link& link, const ChainMetrics& metrics,
                       std::chrono::nanoseconds& time) {
  const auto begun = metrics.now();
  try {
    work();
    time = metrics.now() - begun;
    if (time <= link.time_limit) return {};
    return fmt::format("it took {} ms; its limit is {} ms",
                       std::chrono::ceil<std::chrono::milliseconds>(time).count(),
                       link.time_limit.count());
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
    const auto limit = policy->time_limits.find(type->name);
    links.push_back(
        {.name = type->name,
         .on_failure = on_failure_of(*policy, type->name),
         .extension = std::move(extension),
         .time_limit = limit == policy->time_limits.end() ? kUsualTime : limit->second});
  }
  return Chain(std::move(links));
}

Verdict Chain::before(const Facts& facts, ChainMetrics& metrics) const {
  Verdict verdict;
  for (const Link& link : links_) {
    Decision decision;
    std::chrono::nanoseconds time{};
    const auto why =
        failure_of([&] { decision = link.extension->before(facts); }, link, metrics, time);
    if (decision.services.empty()) metrics.took(link.name, Phase::kBefore, time);
    if (!why.empty()) {
      metrics.failed(link.name, link.on_failure, why);
      verdict.certain = false;
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
      verdict.refused_by = link.name;
      verdict.refusal = std::move(decision.refusal);
      return verdict;
    }
    for (auto& limit : decision.limits)
      verdict.limits.push_back({std::move(limit), link.on_failure});
    for (auto& asked : decision.services) {
      asked.on_failure = asked.service->on_failure.value_or(link.on_failure);
      verdict.services.push_back(std::move(asked));
    }
    if (holds)
      verdict.held_by = link.name;
    else if (decision.limits.empty() && decision.services.empty())  // otherwise these decide
      verdict.allowed_by.push_back(link.name);
  }
  return verdict;
}

void count(const Verdict& verdict, ChainMetrics& metrics) {
  for (const auto name : verdict.allowed_by) metrics.allowed(name);
  if (!verdict.held_by.empty()) metrics.held(verdict.held_by);
  if (!verdict.refused_by.empty()) metrics.refused(verdict.refused_by);
}

tools::model::Execution Chain::after(const Facts& facts, tools::model::Execution result,
                                     ChainMetrics& metrics) const {
  for (const Link& link : std::views::reverse(links_)) {
    tools::model::Execution next;
    std::chrono::nanoseconds time{};
    // The next extension must not get what a failed one left half done.
    const auto why =
        failure_of([&] { next = link.extension->after(facts, result); }, link, metrics, time);
    metrics.took(link.name, Phase::kAfter, time);
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
