#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extensions/chain/chain_metrics.h"
#include "extensions/extension_type.h"

namespace toolway::extensions::chain {

/// What one extension said about a call.
struct Reason {
  std::string_view extension;
  std::string because;
};

/// A limit that a call needs a token of.
struct LimitAsked {
  Limit limit;
  OnFailure on_failure = OnFailure::kClosed;  ///< when it cannot be asked
};

/// What a chain says about a call before it runs.
struct Verdict {
  std::optional<Error> refusal{};  ///< nothing: it may run
  std::optional<Hold> hold{};      ///< nothing: it need not wait for approval
  std::string held_because{};      ///< what holds it: a rule, or `requires_approval`
  std::vector<Reason> said{};      ///< only of those that had something to say
  /// What a call that it lets in carries of it (v1::Admission).
  std::string admission{};
  std::vector<LimitAsked> limits{};            ///< of those that say: if there is a token left
  std::vector<ServiceAsked> services{};        ///< of those that say: if a service lets it
  std::vector<std::string_view> allowed_by{};  ///< those that decided, and let it
  std::string_view held_by{};                  ///< the one that holds it
  std::string_view refused_by{};               ///< the one that refuses it
  /// No extension failed or was too slow: asked again, the chain would say the same.
  bool certain = true;
};
using VerdictPtr = std::shared_ptr<const Verdict>;

/// Counts what the extensions decided.
void count(const Verdict& verdict, ChainMetrics& metrics);

/// The extensions that a policy asks for, in their order. Immutable, used by many threads at once.
class Chain {
 public:
  struct Link {
    std::string_view name;
    OnFailure on_failure = OnFailure::kClosed;
    ExtensionPtr extension;
    std::chrono::milliseconds time_limit = kUsualTime;
  };
  explicit Chain(std::vector<Link> links) : links_(std::move(links)) {}
  static Chain of(const PolicyPtr& policy, std::span<const ExtensionType> types);

  /// Asks each in turn; the first that refuses decides, and the first that
  /// holds says how. One that throws or takes longer than its time refuses the call or is left
  /// out, as the policy says. Counts failures and times; what was decided, `count` counts.
  Verdict before(const Facts& facts, ChainMetrics& metrics) const;
  /// Gives each the result of the one after it. One that throws or takes too long makes the call
  /// fail, or is left out.
  tools::model::Execution after(const Facts& facts, tools::model::Execution result,
                                ChainMetrics& metrics) const;
  std::span<const Link> links() const { return links_; }

 private:
  std::vector<Link> links_;
};

}  // namespace toolway::extensions::chain
