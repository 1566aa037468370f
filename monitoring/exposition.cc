#include "monitoring/exposition.h"

#include <array>
#include <charconv>
#include <cmath>

namespace toolway::monitoring {
namespace {

std::string_view type_name(MetricType type) {
  switch (type) {
    case MetricType::kCounter: return "counter";
    case MetricType::kGauge: return "gauge";
    case MetricType::kHistogram: return "histogram";
  }
  return "unknown";
}

template <typename Number>
void append_number(std::string& text, Number number) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (std::isnan(number)) return void(text += "NaN");
    if (std::isinf(number)) return void(text += number > 0 ? "+Inf" : "-Inf");
  }
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  text.append(digits.data(), end);
}

/// `,le="0.0005"} ` of each bucket, and of +Inf.
std::array<std::string, kBuckets> bucket_ends() {
  std::array<std::string, kBuckets> ends;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    std::string bound = "+Inf";
    if (i < kSecondsBounds.size()) {
      std::array<char, 32> digits{};  // never 5e-04, which nobody would look for
      const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), kSecondsBounds[i],
                                              std::chars_format::fixed);
      bound.assign(digits.data(), end);
      if (bound.find('.') == std::string::npos) bound += ".0";
    }
    ends[i] = "le=\"" + bound + "\"} ";
  }
  return ends;
}

/// A little more than the text will need: growing 15 MB step by step would copy them twice.
std::size_t enough_for(const MetricSnapshot& snapshot) {
  constexpr std::size_t kLinesOfHistogram = kBuckets + 2;
  constexpr std::size_t kAround = 40;  // suffix, braces, bound and number
  std::size_t size = 0;
  for (const FamilySnapshot& family : snapshot) {
    const std::size_t line = family.about->name.size() + kAround;
    size += 2 * (line + family.about->help.size());
    for (const auto& series : family.scalars) size += line + series.labels->text.size();
    for (const auto& series : family.histograms) size += kLinesOfHistogram * (line + series.labels->text.size());
  }
  return size;
}

class Writer {
 public:
  Writer(Exposition format, std::size_t size) : open_metrics_(format == Exposition::kOpenMetrics) { text_.reserve(size); }

  void write(const FamilySnapshot& family) {
    head(*family.about);
    for (const auto& [labels, value] : family.scalars) scalar(family.about->name, labels->text, value);
    for (const auto& [labels, values] : family.histograms) histogram(family.about->name, labels->text, values);
  }

  std::string end() {
    if (open_metrics_) text_ += "# EOF\n";
    return std::move(text_);
  }

 private:
  void head(const MetricDescription& about) {
    std::string_view name = about.name;
    // There a counter is called without what its sample ends with.
    if (open_metrics_ && about.type == MetricType::kCounter && name.ends_with("_total")) name.remove_suffix(6);
    text_.append("# HELP ").append(name).append(1, ' ');
    for (const char c : about.help) {
      if (c == '\\' || (c == '"' && open_metrics_)) text_ += '\\';
      text_ += c;
    }
    text_.append("\n# TYPE ").append(name).append(1, ' ').append(type_name(about.type)).append(1, '\n');
    if (!open_metrics_) return;
    for (const std::string_view unit : {"seconds", "bytes", "ratio"}) {
      if (name.ends_with(unit) && name[name.size() - unit.size() - 1] == '_') {
        text_.append("# UNIT ").append(name).append(1, ' ').append(unit).append(1, '\n');
      }
    }
  }

  void scalar(std::string_view name, std::string_view labels, double value) {
    text_.append(name);
    if (!labels.empty()) text_.append(1, '{').append(labels).append(1, '}');
    text_ += ' ';
    append_number(text_, value);
    text_ += '\n';
  }

  void histogram(std::string_view name, std::string_view labels, const HistogramValues& values) {
    begin_.assign(name).append("_bucket{").append(labels);
    if (!labels.empty()) begin_ += ',';
    std::uint64_t below = 0;
    auto exemplar = values.exemplars.begin();
    for (std::size_t i = 0; i < kBuckets; ++i) {
      below += values.counts[i];
      text_.append(begin_).append(ends_[i]);
      append_number(text_, below);
      if (exemplar != values.exemplars.end() && exemplar->bucket == i) write_exemplar((exemplar++)->exemplar);
      text_ += '\n';
    }
    of_histogram(name, "_sum", labels);
    append_number(text_, values.sum);
    text_ += '\n';
    of_histogram(name, "_count", labels);
    append_number(text_, below);
    text_ += '\n';
  }

  void of_histogram(std::string_view name, std::string_view what, std::string_view labels) {
    text_.append(name).append(what);
    if (!labels.empty()) text_.append(1, '{').append(labels).append(1, '}');
    text_ += ' ';
  }

  void write_exemplar(const Exemplar& exemplar) {
    if (!open_metrics_) return;
    text_.append(" # {trace_id=\"").append(exemplar.trace.trace_id_hex());
    text_.append("\",span_id=\"").append(exemplar.trace.span_id_hex()).append("\"} ");
    append_number(text_, exemplar.value);
    text_ += ' ';
    const auto us = to_unix_us(exemplar.at);
    append_number(text_, us / 1'000'000);
    std::string fraction = std::to_string(1'000'000 + us % 1'000'000);
    fraction[0] = '.';
    text_ += fraction;
  }

  const bool open_metrics_;
  const std::array<std::string, kBuckets> ends_ = bucket_ends();
  std::string begin_;  // kept for its capacity
  std::string text_;
};

}  // namespace

std::string write_exposition(const MetricSnapshot& snapshot, Exposition format) {
  Writer writer(format, enough_for(snapshot));
  for (const FamilySnapshot& family : snapshot) writer.write(family);
  return writer.end();
}

std::string_view content_type(Exposition format) {
  switch (format) {
    case Exposition::kPrometheusText: return "text/plain; version=0.0.4; charset=utf-8";
    case Exposition::kOpenMetrics: return "application/openmetrics-text; version=1.0.0; charset=utf-8";
  }
  return "";
}

}  // namespace toolway::monitoring
