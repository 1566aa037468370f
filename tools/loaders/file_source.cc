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

/// With the slash before it, where there is one.
std::string file_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash);
}

/// Of files in one directory: that directory, however it was named. With a slash
/// at the end where `file_name` has none.
std::string normal_directory(const std::vector<std::string>& files) {
  if (files.empty()) return {};
  std::error_code ignored;
  const auto path = fs::absolute(files.front(), ignored).lexically_normal().string();
  return path.substr(0, path.size() - file_name(files.front()).size());
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
  changed_ = looks_++ == 0;
  for (std::size_t root = 0; root < paths_.size(); ++root) look_at_root(root);
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
    if (trouble.why == files.error().message ? !trouble.told : looks_ == 1) {
      trouble.told = true;
      found_.push_back({paths_[root].string(), files.error().message, 1});
      changed_ = true;
    }
    trouble.why = files.error().message;
    return;
  }
  if (const auto trouble = unlistable_.extract(root)) changed_ = changed_ || trouble.mapped().told;
  const auto within = normal_directory(*files);
  for (auto& path : *files) {
    // A file that an earlier path already covers is not read twice.
    if (!listed_.insert(within + file_name(path)).second) continue;
    auto& [key, file] = *files_.try_emplace({root, std::move(path)}).first;
    file.listed_in = looks_;
    look_at(key.second, file);
  }
  forget_gone(root);
}

void FileSource::forget_gone(std::size_t root) {
  for (auto file = files_.lower_bound({root, {}});
       file != files_.end() && file->first.first == root;) {
    const bool missing = file->second.listed_in != looks_;
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

void FileSource::look_at(const std::string& path, Watched& file) {
  Stamps now{.spec = stamp_of(path), .named = file.read.named};
  for (auto& named : now.named) named.stamp = stamp_of(named.path);
  const bool stable = file.seen == now;
  file.seen = std::move(now);
  if (!file.seen.spec.exists || file.seen == file.read) return;
  if (stable || looks_ == 1) read(path, file);
}

void FileSource::read(const std::string& path, Watched& file) {
  auto text = read_spec_file(path);
  // Changed while it was read: at the next look, again.
  if (looks_ > 1 && stamp_of(path) != file.seen.spec) return;
  changed_ = true;
  specs::SpecDocument document;
  if (text) {
    document = read_(*text, path);
  } else {
    document.mistakes.push_back({path, text.error().message, 1});
  }
  // What a named file holds was read after its stamp was taken.
  file.read = {.spec = file.seen.spec, .named = std::move(document.files)};
  file.seen = file.read;
  file.mistakes = std::move(document.mistakes);
  if (file.mistakes.empty())
    file.good = make_part(path, std::move(document.specs), std::move(document.overlay),
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
