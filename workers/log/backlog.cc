#include "workers/log/backlog.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/utf8.h"

namespace toolway::workers::log {
namespace {

constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warning", "error"};

std::size_t severity(std::string_view level) {
  return static_cast<std::size_t>(std::find(kLevels.begin(), kLevels.end(), level) -
                                  kLevels.begin());
}

}  // namespace

std::string clean_text(std::string text, std::size_t max_bytes) {
  if (!valid_utf8(text)) {
    text = Json::parse(to_text(Json(std::move(text)))).get<std::string>();
  }
  text.resize(utf8_prefix(text, max_bytes).size());
  return text;
}

bool Backlog::afford(std::size_t bytes) {
  if (total_bytes_ + bytes > kMaxBytes) {
    ++dropped_;
    return false;
  }
  total_bytes_ += bytes;
  return true;
}

void Backlog::add(tools::model::ProgressReport report) {
  Entry entry;
  auto& progress = entry.body.emplace<v1::Progress>();
  progress.set_progress(report.progress);
  progress.set_total(report.total);
  progress.set_message(clean_text(std::move(report.message), kMaxText));
  progress.set_step(clean_text(std::move(report.step), kMaxText));
  if (!report.data.is_null()) {
    entry.elements = to_text(report.data);
    if (entry.elements.size() > kMaxReportData || !afford(entry.elements.size())) {
      if (entry.elements.size() > kMaxReportData) ++dropped_;
      entry.elements.clear();
    } else if (report.data.is_array()) {
      entry.list = true;
      entry.elements = entry.elements.substr(1, entry.elements.size() - 2);
    }
  }
  push(std::move(entry));
}

void Backlog::add(tools::model::LogLevel level, std::string message) {
  Entry entry;
  auto& log = entry.body.emplace<v1::Log>();
  log.set_level(std::string(kLevels[static_cast<std::size_t>(level)]));
  log.set_message(clean_text(std::move(message), kMaxText));
  push(std::move(entry));
}

bool Backlog::merge(Entry& into, Entry& next) const {
  if (into.body.index() != next.body.index()) return false;
  if (auto* progress = std::get_if<v1::Progress>(&into.body)) {
    if (into.elements.size() + next.elements.size() > kMaxEventData) return false;
    auto& newer = std::get<v1::Progress>(next.body);
    const std::uint32_t stands_for = progress->merged() + newer.merged() + 1;
    *progress = std::move(newer);
    progress->set_merged(stands_for);
    if (!into.elements.empty() && !next.elements.empty()) into.elements += ',';
    into.elements += next.elements;
    into.list = true;
    return true;
  }
  auto& log = std::get<v1::Log>(into.body);
  auto& newer = std::get<v1::Log>(next.body);
  if (log.message().size() + newer.message().size() >= kMaxText) return false;
  *log.mutable_message() += '\n';
  *log.mutable_message() += newer.message();
  if (severity(newer.level()) > severity(log.level())) log.set_level(newer.level());
  return true;
}

void Backlog::push(Entry entry) {
  const std::size_t bytes = entry.elements.size();
  if (!entries_.empty()) {
    const bool is_progress = entry.body.index() == 0;
    // Log lines stay apart while their rate allows it; progress is the newest value.
    const bool crowded = entries_.size() >= kMaxEntries;
    if ((is_progress || crowded) && merge(entries_.back(), entry)) {
      waiting_bytes_ += bytes;
      return;
    }
    if (crowded) {
      // The newest of its kind, even if something else was reported in between.
      for (auto it = entries_.rbegin(); it != entries_.rend(); ++it) {
        if (merge(*it, entry)) {
          waiting_bytes_ += bytes;
          return;
        }
      }
      if (!is_progress) {
        ++dropped_;  // 32 entries of 16 KB of log are waiting already
        return;
      }
    }
  }
  waiting_bytes_ += bytes;
  entries_.push_back(std::move(entry));
}

std::optional<Backlog::Entry> Backlog::take_front() {
  while (!entries_.empty()) {
    Entry entry = std::move(entries_.front());
    entries_.pop_front();
    waiting_bytes_ -= std::min(waiting_bytes_, entry.elements.size());
    std::size_t text = 0;
    if (auto* progress = std::get_if<v1::Progress>(&entry.body)) {
      text = progress->message().size() + progress->step().size();
      if (!entry.elements.empty()) {
        progress->set_data(entry.list ? "[" + entry.elements + "]" : entry.elements);
      } else if (entry.list) {
        progress->set_data("[]");
      }
      if (entry.elements.empty() && progress->merged() > 0) progress->clear_data();
    } else {
      text = std::get<v1::Log>(entry.body).message().size();
    }
    // Data was counted when it came; text only now, since merging forgets most of it.
    if (afford(text)) return entry;
  }
  return std::nullopt;
}

std::optional<Backlog::Entry> Backlog::take(MonotonicTime now) {
  if (entries_.empty()) return std::nullopt;
  TokenBucket& rate = entries_.front().body.index() == 0 ? progress_rate_ : log_rate_;
  if (!rate.take(now)) return std::nullopt;
  return take_front();
}

std::optional<Backlog::Entry> Backlog::take_last_words() { return take_front(); }

MonotonicTime Backlog::ready_at(MonotonicTime now) {
  if (entries_.empty()) return MonotonicTime::max();
  return (entries_.front().body.index() == 0 ? progress_rate_ : log_rate_).ready_at(now);
}

void Backlog::put_back(Entry entry) {
  waiting_bytes_ += entry.elements.size();
  if (const auto* progress = std::get_if<v1::Progress>(&entry.body)) {
    total_bytes_ -= std::min(total_bytes_, progress->message().size() + progress->step().size());
  } else {
    total_bytes_ -= std::min(total_bytes_, std::get<v1::Log>(entry.body).message().size());
  }
  entries_.push_front(std::move(entry));
}

void Backlog::compact() {
  std::deque<Entry> merged;
  for (Entry& entry : entries_) {
    const auto same = std::find_if(merged.rbegin(), merged.rend(), [&](const Entry& earlier) {
      return earlier.body.index() == entry.body.index();
    });
    if (same == merged.rend() || !merge(*same, entry)) merged.push_back(std::move(entry));
  }
  entries_ = std::move(merged);
}

void Backlog::clear() {
  entries_.clear();
  waiting_bytes_ = 0;
}

}  // namespace toolway::workers::log
