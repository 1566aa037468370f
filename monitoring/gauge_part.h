#pragma once

#include "monitoring/metrics.h"

namespace toolway::monitoring {

/// What one of several owners adds to a gauge that they share: the gauge shows their sum. Takes its
/// part back at its end. Not thread-safe; the gauge must outlive it.
class GaugePart {
 public:
  explicit GaugePart(Gauge& gauge) : gauge_(gauge) {}
  GaugePart(const GaugePart&) = delete;
  GaugePart& operator=(const GaugePart&) = delete;
  ~GaugePart() { set(0); }

  void set(double value) {
    gauge_.add(value - part_);
    part_ = value;
  }

 private:
  Gauge& gauge_;
  double part_ = 0;
};

}  // namespace toolway::monitoring
