#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/mistake.h"
#include "base/result.h"
#include "tools/model/kind_types.h"
#include "tools/model/spec.h"
#include "tools/specs/named_content.h"

namespace toolway::tools::specs {

struct Located;
struct SpecOverlay;
struct Offers;

struct ReadSpec {
  model::Spec spec;
  int line = 0;          ///< where it begins
  bool enabled = true;   ///< false: its name must not be offered
  unsigned rollout = 0;  ///< percent of sessions that get it, as the candidate next to the stable
                         ///< one; 0: it is that one
  std::shared_ptr<const Located>
      entry{};  ///< as it was written, in today's form; if `Entries::kKept`
};

/// What a file of specs says. With any mistake, `specs` has the entries that have none.
struct SpecDocument {
  std::vector<ReadSpec> specs;
  std::vector<Mistake> mistakes;                 ///< see Mistakes::take
  std::shared_ptr<const SpecOverlay> overlay{};  ///< when the document is one: it has no specs then
  std::shared_ptr<const Offers> offers{};        ///< prompts and resources; null: it has none
  std::vector<NamedFile> files{};                ///< that its resources name
};

/// Whether specs keep the trees that they were read from, for overlays to change.
enum class Entries { kForgotten, kKept };

struct ReaderOptions {
  /// What `kind` may name; must outlive the reading.
  const model::KindTypes& kinds;
  /// What `kind: native` entries adjust.
  std::span<const model::Spec> natives{};
  /// Fills in what a python spec without `input_schema` leaves out (its `input_schema` is
  /// null then). Empty: such a spec is a mistake. Called on the reader's thread.
  std::function<Result<model::Spec>(model::Spec)> describe{};
  /// Reads the files that resources name. Empty: naming one is a mistake. Called on the reader's
  /// thread.
  ReadContent content{};
  Entries entries = Entries::kForgotten;
};

}  // namespace toolway::tools::specs
