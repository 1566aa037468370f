#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/loaders/spec_source.h"
#include "tools/specs/places.h"

namespace toolway::tools::loaders {

/// Reads one spec from a tree whose lines are numbers of `places`.
using ReadEntry =
    std::function<specs::SpecDocument(const specs::Located& entry, const specs::Places& places)>;

/// Parts with an environment's overlays applied, and what is wrong with those.
struct OverlaidParts {
  std::vector<std::shared_ptr<const SpecPart>> parts;
  std::vector<Mistake> mistakes;
};

/// Applies the overlays of one environment to the specs of one kind of source. Of several overlays
/// that say different things of one field, the one of the part that wins is in force: the earlier
/// one. A spec that would have a mistake stays what it was made of last; if it never was, it is
/// left out. Remembers what it made: what has not changed is not read again. One thread at a time.
class Overlays {
 public:
  Overlays(std::string env, ReadEntry read) : env_(std::move(env)), read_(std::move(read)) {}

  /// `source`: for messages: `file`, `http`.
  OverlaidParts apply(std::span<const std::shared_ptr<const SpecPart>> parts,
                      std::string_view source);
  const std::string& env() const { return env_; }

 private:
  struct Layer;
  /// Which spec, and which patches over it: the trees themselves are the key.
  using Key = std::vector<const void*>;
  struct Made {
    std::vector<std::shared_ptr<const void>> kept;  ///< so that no other tree gets the place of one
    std::optional<OfferedSpec> spec;
    std::vector<Mistake> mistakes;
  };
  Made make(const OfferedSpec& base, const std::vector<Layer>& layers) const;

  const std::string env_;
  const ReadEntry read_;
  std::map<std::string, std::map<Key, Made>, std::less<>> made_;  // by kind of source
  std::map<std::string, OfferedSpec>
      last_good_;  // by kind of source, name, and whether a candidate
};

}  // namespace toolway::tools::loaders
