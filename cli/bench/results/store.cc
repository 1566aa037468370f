#include "cli/bench/results/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/os/file_io.h"
#include "base/try.h"
#include "cli/bench/figures/threshold.h"

namespace toolway::cli::bench::results {
namespace {

namespace fs = std::filesystem;

/// What is compared; the rest is in the files.
constexpr const char* kCompared[] = {"calls_per_s", "p50",          "p99",           "accepted.p99",
                                     "error_rate",  "lag_messages", "memory_growth", "take_up"};

std::string in_words(const char* name, double before, double now) {
  const auto both = fmt::format("{} (was {})", figures::figure_text(name, now),
                                figures::figure_text(name, before));
  if (before == now) return fmt::format("{}: {}, the same", name, figures::figure_text(name, now));
  if (before <= 0 || now < 0) return fmt::format("{}: {}", name, both);
  return fmt::format("{}: {}, {:.2f} times as {}", name, both, now / before,
                     std::string_view(name) == "calls_per_s" ? "many" : "much");
}

}  // namespace

std::string text_of(const OrderedJson& result, const char* part, const char* field) {
  const auto found = result.find(part);
  if (found == result.end() || !found->is_object()) return "unknown";
  const auto value = found->value(field, OrderedJson());
  const auto text = value.is_string() ? value.get<std::string>() : value.dump();
  return value.is_null() || text.empty() ? "unknown" : text;
}

std::string difference(const OrderedJson& before, const OrderedJson& now, const char* part,
                       const char* field, const char* what) {
  const auto was = text_of(before, part, field);
  const auto is = text_of(now, part, field);
  return was == is ? "" : fmt::format("not the same: {} was {}, is {}", what, was, is);
}

std::optional<OrderedJson> ResultStore::last(const std::string& name) const {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory_, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto file = entry->path().filename().string();
    // After the name: '-', a date and its time, and `.json`; `burst` is not `burst-2`.
    if (file.starts_with(name + "-") && file.ends_with(".json") && file.size() == name.size() + 26)
      files.push_back(entry->path());
  }
  std::sort(files.rbegin(), files.rend());
  for (const auto& file : files) {
    const auto text = os::read_file(file);
    if (!text) continue;
    auto result = parse_ordered_json(*text);
    if (result && result->is_object() && result->value("scenario", "") == name)
      return *std::move(result);
  }
  return std::nullopt;
}

Result<std::string> ResultStore::keep(const std::string& name, const std::string& time,
                                      const OrderedJson& result) const {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("cannot create {}: {}; choose another with --store", directory_,
                            error.message()));
  std::string stamp;
  for (const char c : time)
    if (c != '-' && c != ':') stamp += c;
  const auto path = (fs::path(directory_) / fmt::format("{}-{}.json", name, stamp)).string();
  RETURN_IF_ERROR(os::write_whole_file(path, result.dump(1) + "\n"));
  return path;
}

std::vector<std::string> compare(const OrderedJson& before, const OrderedJson& now) {
  std::vector<std::string> lines;
  const auto figures_before = before.value("figures", OrderedJson::object());
  const auto figures_now = now.value("figures", OrderedJson::object());
  if (!figures_before.is_object() || !figures_now.is_object()) return lines;
  for (const char* name : kCompared) {
    const auto was = figures_before.find(name);
    const auto is = figures_now.find(name);
    if (was == figures_before.end() || is == figures_now.end() || !was->is_number() ||
        !is->is_number())
      continue;
    lines.push_back(in_words(name, was->get<double>(), is->get<double>()));
  }
  const auto differs = [&](const char* part, const char* field, const char* what) {
    if (auto line = difference(before, now, part, field, what); !line.empty())
      lines.push_back(std::move(line));
  };
  if (!before.value("holds", true)) lines.push_back("not the same: the last run broke a threshold");
  differs("options", "seconds", "its length in seconds");
  differs("options", "scale", "the load's scale");
  differs("options", "url", "the gateways it ran against");
  differs("options", "digest", "what the file says, as a digest,");
  differs("options", "stack", "what its stack was started with");
  differs("machine", "cores", "the number of cores");
  differs("machine", "model", "the processor");
  differs("machine", "load_before", "the load average before it");
  differs("program", "commit", "the commit");
  return lines;
}

}  // namespace toolway::cli::bench::results
