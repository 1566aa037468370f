#include "tools/loaders/file_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

namespace toolway::tools::loaders {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::vector<fs::path>& paths) {
  return fmt::format(
      "{}",
      fmt::join(paths | std::views::transform([](const fs::path& path) { return path.string(); }),
                ", "));
}

}  // namespace

FileSource::FileSource(std::vector<fs::path> paths, ReadSpecs read,
                       std::chrono::milliseconds interval)
    : paths_(std::move(paths)),
      read_(std::move(read)),
      interval_(interval),
      name_(joined(paths_)) {}

std::optional<SourceState> FileSource::look(std::stop_token) {
  listed_.clear();
  found_.clear();
  changed_ = first_;
  for (std::size_t root = 0; root < paths_.size(); ++root) look_at_root(root);
  first_ = false;
  if (!changed_) return std::nullopt;
  return state();
}

void FileSource::look_at_root(std::size_t root) {
  auto files = list_spec_files(paths_[root]);
  if (!files) {
    // Its files keep their last good versions. Replacing may be removing first:
    // only what two looks in a row have found is reported.
    const auto [entry, is_new] = unlistable_.try_emplace(root);
    auto& trouble = entry->second;
    if (trouble.why == files.error().message ? !trouble.told : first_) {
      trouble.told = true;
      found_.push_back({paths_[root].string(), files.error().message, 1});
      changed_ = true;
    }
    trouble.why = files.error().message;
    return;
  }
  if (const auto trouble = unlistable_.extract(root)) changed_ = changed_ || trouble.mapped().told;
  std::set<Key> present;
  for (auto& path : *files) {
    // A file that an earlier path already covers is not read twice.
    std::error_code ignored;
    if (!listed_.insert(fs::absolute(path, ignored).lexically_normal()).second) continue;
    Key key{root, std::move(path)};
    look_at(key);
    present.insert(std::move(key));
  }
  const auto gone = [&](const auto& entry) {
    return entry.first.first == root && !present.contains(entry.first);
  };
  for (auto file = files_.begin(); file != files_.end();) {
    const bool missing = gone(*file);
    // Replacing may be removing first: only a file that is missing twice in a row is gone.
    if (missing && !file->second.seen.spec.exists) {
      changed_ = true;
      file = files_.erase(file);
      continue;
    }
    if (missing) file->second.seen = {};
    ++file;
  }
}

FileSource::Stamps FileSource::look_at(const fs::path& path, const Watched& file) {
  Stamps now{.spec = stamp_of(path), .named = file.read.named};
  for (auto& named : now.named) named.stamp = stamp_of(named.path);
  return now;
}

void FileSource::look_at(const Key& key) {
  const auto [entry, is_new] = files_.try_emplace(key);
  auto& file = entry->second;
  auto now = look_at(key.second, file);
  const bool stable = file.seen == now;
  file.seen = std::move(now);
  if (!file.seen.spec.exists || file.seen == file.read) return;
  if (stable || first_) read(key, file);
}

void FileSource::read(const Key& key, Watched& file) {
  const auto origin = key.second.string();
  auto text = read_spec_file(key.second);
  // Changed while it was read: at the next look, again.
  if (!first_ && stamp_of(key.second) != file.seen.spec) return;
  changed_ = true;
  specs::SpecDocument document;
  if (text) {
    document = read_(*text, origin);
  } else {
    document.mistakes.push_back({origin, text.error().message, 1});
  }
  // What a named file holds was read after its stamp was taken.
  file.read = {.spec = file.seen.spec, .named = std::move(document.files)};
  file.seen = file.read;
  file.mistakes = std::move(document.mistakes);
  if (file.mistakes.empty())
    file.good = make_part(origin, std::move(document.specs), std::move(document.overlay),
                          std::move(document.offers));
  found_.insert(found_.end(), file.mistakes.begin(), file.mistakes.end());
}

SourceState FileSource::state() {
  SourceState state;
  for (const auto& [key, file] : files_) {
    if (file.good) state.parts.push_back(file.good);
    state.mistakes.insert(state.mistakes.end(), file.mistakes.begin(), file.mistakes.end());
  }
  for (const auto& [root, trouble] : unlistable_) {
    if (trouble.told) state.mistakes.push_back({paths_[root].string(), trouble.why, 1});
  }
  state.found = std::move(found_);
  return state;
}

}  // namespace toolway::tools::loaders
