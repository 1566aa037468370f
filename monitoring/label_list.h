#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "monitoring/metrics.h"

namespace toolway::monitoring {

/// The labels that a caller asks an instrument with, ordered by name. At most four, which the table
/// never exceeds. The views live as long as the look-up.
class LabelList {
 public:
  static constexpr std::size_t kMaxLabels = 4;
  void add(std::string_view name, std::string_view value);
  std::size_t size() const { return size_; }
  Label& operator[](std::size_t i) { return items_[i]; }
  const Label* begin() const { return items_.data(); }
  const Label* end() const { return items_.data() + size_; }
  /// `a="x",b="y"`; names a series within its metric.
  std::string text() const;

 private:
  std::array<Label, kMaxLabels> items_{};
  std::size_t size_ = 0;
};

/// Appends `name="value"`, after a comma when `text` has labels already. Escapes backslash, quote
/// and line end, as both text formats ask.
void append_label(std::string& text, std::string_view name, std::string_view value);

}  // namespace toolway::monitoring
