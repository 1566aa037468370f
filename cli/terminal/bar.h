#pragma once

#include <string>

namespace toolway::cli::terminal {

/// How much of `total` is done, `width` columns wide: `████░░░░`. Of an unknown total, nothing is.
std::string bar(double done, double total, unsigned width);
/// The same in percent: ` 50 %`.
std::string percent(double done, double total);

}  // namespace toolway::cli::terminal
