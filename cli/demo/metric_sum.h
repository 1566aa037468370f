#pragma once

#include <string>

namespace toolway::cli::demo {

/// The sum of a metric over its labels; -1 when the text has none of that name.
double metric_sum(const std::string& scrape, const std::string& name);

}  // namespace toolway::cli::demo
