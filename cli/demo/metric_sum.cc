#include "cli/demo/metric_sum.h"

#include <algorithm>
#include <cstdlib>

namespace toolway::cli::demo {

double metric_sum(const std::string& scrape, const std::string& name) {
  double sum = -1;
  for (auto at = scrape.find(name); at != std::string::npos; at = scrape.find(name, at + 1)) {
    if (at != 0 && scrape[at - 1] != '\n') continue;
    const char next = scrape[at + name.size()];
    if (next != '{' && next != ' ') continue;
    const auto end = scrape.find('\n', at);
    const auto space = scrape.rfind(' ', end);
    sum = std::max(sum, 0.0) + std::strtod(scrape.c_str() + space, nullptr);
  }
  return sum;
}

}  // namespace toolway::cli::demo
