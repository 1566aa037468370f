#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/loaders/merge_specs.h"
#include "tools/loaders/overlays.h"
#include "tools/loaders/spec_source.h"
#include "tools/model/live_registry.h"
#include "tools/specs/live_offers.h"

namespace toolway::tools::loaders {

/// What came of a look that changed something. What it says of the kinds of
/// sources is for metrics.
struct LoadReport {
  struct OfKind {
    bool configured = false;   ///< there is a source of this kind
    bool up = false;           ///< all of them answer, and hold no mistakes
    std::size_t in_force = 0;  ///< specs
    std::size_t mistakes = 0;  ///< found now
  };
  std::array<OfKind, kSourceKinds.size()> kinds{};
  SpecChanges changes;
};

struct LoaderOptions {
  std::shared_ptr<const model::Registry> builtin;
  /// Among sources of one kind, the earlier ones win.
  std::vector<std::unique_ptr<SpecSource>> sources;
  /// Whether there is a durable for a pool; an error when that cannot be known now.
  /// Empty: not asked.
  std::function<Result<bool>(const std::string& pool)> pool_exists{};
  /// Of the environment; null: none is chosen, and no overlay is in force.
  std::unique_ptr<Overlays> overlays{};
  /// Gets the prompts and resources of files; null: they are not wanted. Must outlive the loader.
  specs::LiveOffers* offers = nullptr;
  /// Called on a thread of the loader, one call at a time.
  std::function<void(const LoadReport&)> on_load{};
  /// How long `start` waits for an endpoint or a database before it continues without it.
  std::chrono::milliseconds patience{3'000};
};

/// Keeps a registry, and what files offer besides tools, in step with its sources. Each source has
/// a thread of its own, so that none waits for another; logs what changes, and what is wrong.
class SpecLoader {
 public:
  /// Returns when the specs of all files are in force, and those of other sources as
  /// far as they came in time. Errors: kInvalidSpec with all mistakes of all
  /// files, one a line. `live` must outlive the loader.
  static Result<std::unique_ptr<SpecLoader>> start(model::LiveRegistry& live,
                                                   LoaderOptions options);
  virtual ~SpecLoader() = default;
};

}  // namespace toolway::tools::loaders
