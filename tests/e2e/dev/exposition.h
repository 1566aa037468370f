#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace toolway::cli {

/// One line of Prometheus' text format.
struct Series {
  std::string name;  ///< of its metric: without the _bucket, _sum and _count of a histogram
  std::map<std::string, std::string> labels;  ///< without the `le` of a bucket
  double value = 0;

  bool has(const std::map<std::string, std::string>& some) const;
};

/// All series of a scrape. Throws, with the line, when one cannot be read.
std::vector<Series> read_exposition(std::string_view text);

}  // namespace toolway::cli
