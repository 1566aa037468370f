#include "tests/e2e/dev/exposition.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace toolway::cli {
namespace {

/// The labels of `{…}`. `at` is the first character after the opening brace, and in the end the
/// first after the closing one.
std::map<std::string, std::string> read_labels(const std::string& line, std::size_t& at) {
  std::map<std::string, std::string> labels;
  while (line.at(at) != '}') {
    const auto equals = line.find("=\"", at);
    const auto name = line.substr(at, equals - at);
    std::string value;
    for (at = equals + 2; line.at(at) != '"'; ++at) {
      if (line[at] == '\\') ++at;
      value += line.at(at);
    }
    labels[name] = value;
    if (line.at(++at) == ',') ++at;
  }
  ++at;
  return labels;
}

void strip(std::string& name, std::string_view end) {
  if (name.ends_with(end)) name.erase(name.size() - end.size());
}

}  // namespace

bool Series::has(const std::map<std::string, std::string>& some) const {
  return std::ranges::all_of(some, [this](const auto& label) {
    const auto found = labels.find(label.first);
    return found != labels.end() && found->second == label.second;
  });
}

std::vector<Series> read_exposition(std::string_view text) {
  std::vector<Series> all;
  std::string histogram;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      histogram = line.ends_with(" histogram") ? line.substr(7, line.rfind(' ') - 7) : "";
    }
    if (line.empty() || line.starts_with('#')) continue;
    try {
      Series series;
      auto at = line.find_first_of("{ ");
      series.name = line.substr(0, at);
      if (line.at(at) == '{') series.labels = read_labels(line, ++at);
      series.value = std::stod(line.substr(at));
      if (!histogram.empty()) {
        for (const char* end : {"_bucket", "_sum", "_count"}) strip(series.name, end);
        series.labels.erase("le");
      }
      all.push_back(std::move(series));
    } catch (const std::exception&) {
      throw std::runtime_error("no line of an exposition: " + line);
    }
  }
  return all;
}

}  // namespace toolway::cli
