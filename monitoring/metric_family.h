#pragma once

#include <array>
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "monitoring/metric_registry.h"

namespace toolway::monitoring {

/// The labels that somebody asks an instrument with, ordered by name. Of at most four, which the table
/// never exceeds. The views live as long as the question.
class LabelList {
 public:
  static constexpr std::size_t kMost = 4;
  void add(std::string_view name, std::string_view value);
  std::size_t size() const { return size_; }
  Label& operator[](std::size_t i) { return items_[i]; }
  const Label* begin() const { return items_.data(); }
  const Label* end() const { return items_.data() + size_; }
  /// `a="x",b="y"`, with backslash, quote and line end escaped as both text formats ask.
  std::string text() const;

 private:
  std::array<Label, kMost> items_{};
  std::size_t size_ = 0;
};

/// All series of one metric, bounded in number. The registry's mutex guards it; series stay where they are.
template <typename Instrument>
class MetricFamily {
 public:
  struct Series {
    SeriesLabels labels;
    Instrument instrument;
  };
  struct Found {
    Instrument& instrument;
    bool over_bound;  ///< some label's value became `other`
  };

  MetricFamily(const MetricDescription& about, SeriesBounds bounds) : about_(&about), bounds_(bounds) {}

  const MetricDescription& about() const { return *about_; }
  const std::deque<Series>& series() const { return series_; }

  Found at(LabelList labels) {
    std::string text = labels.text();
    if (const auto known = by_text_.find(text); known != by_text_.end()) return {known->second->instrument, false};
    const bool over_bound = fold(labels);
    if (over_bound) {
      text = labels.text();
      if (const auto other = by_text_.find(text); other != by_text_.end()) return {other->second->instrument, true};
    }
    Series& made = series_.emplace_back();
    for (const auto& [name, value] : labels) made.labels.values.emplace_back(name, value);
    made.labels.text = text;
    by_text_.emplace(std::move(text), &made);
    return {made.instrument, over_bound};
  }

 private:
  /// Puts `other` in the place of what is too many.
  bool fold(LabelList& labels) {
    constexpr std::string_view kOther = "other";
    const bool full = series_.size() >= bounds_.series_per_metric;
    bool folded = false;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      auto& values = values_[i];
      const std::string value(labels[i].second);
      if (!full && (values.contains(value) || values.size() < bounds_.values_per_label)) {
        values.insert(value);
        continue;
      }
      labels[i].second = kOther;
      folded = true;
    }
    return folded;
  }

  const MetricDescription* about_;
  SeriesBounds bounds_;
  std::deque<Series> series_;
  std::unordered_map<std::string, Series*> by_text_;
  std::array<std::unordered_set<std::string>, LabelList::kMost> values_;  ///< seen, by place of the label
};

}  // namespace toolway::monitoring
