#pragma once

#include <span>
#include <string>

#include "cli/replay/again.h"
#include "cli/terminal/view.h"

namespace toolway::cli::replay {

/// What a replay has found.
struct Report {
  std::string session;  ///< the recorded one
  std::string against;  ///< a gateway's URL, or `mocks`
  Replayed replayed;
  std::vector<Skipped> skipped;
  std::vector<Judgement> judged;

  /// Whether all is as recorded, within the bounds.
  bool holds() const;
};

/// As `-o json` prints it. Pure.
OrderedJson to_json(const Report& report);
/// Prints tables for people, or JSON.
void print(const Report& report, const terminal::View& view);

}  // namespace toolway::cli::replay
