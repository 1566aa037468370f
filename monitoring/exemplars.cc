#include "monitoring/exemplars.h"

#include "base/mutex.h"

namespace toolway::monitoring {

void ExemplarSlots::put(double seconds, const TraceContext& trace, WallTime at) {
  const MutexLock lock(mutex_);
  if (!slots_) slots_ = std::make_unique<Slots>();
  Exemplar& exemplar = (*slots_)[bucket_of(seconds)];
  exemplar.value = seconds;
  exemplar.at = at;
  exemplar.trace.trace_id = trace.trace_id;
  exemplar.trace.span_id = trace.span_id;
}

std::vector<BucketExemplar> ExemplarSlots::read() const {
  std::vector<BucketExemplar> found;
  const MutexLock lock(mutex_);
  if (!slots_) return found;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if ((*slots_)[i].trace.valid()) found.push_back({i, (*slots_)[i]});
  }
  return found;
}

void Exemplars::add(std::string_view metric, const std::string& labels, OfSeries exemplars) {
  if (!exemplars.empty())
    metrics_[std::string(metric)].insert_or_assign(labels, std::move(exemplars));
}

const Exemplars::OfSeries& Exemplars::of(std::string_view metric, const std::string& labels) const {
  static const OfSeries none;
  const auto series = metrics_.find(metric);
  if (series == metrics_.end()) return none;
  const auto found = series->second.find(labels);
  return found == series->second.end() ? none : found->second;
}

}  // namespace toolway::monitoring
