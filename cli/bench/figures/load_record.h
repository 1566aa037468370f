#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/bench/figures/threshold.h"

namespace toolway::cli::bench::figures {

/// How long a call took, in milliseconds from when it was due.
struct CallTimes {
  float accepted = 0;
  float first_event = 0;
  float completion = 0;
};

/// What is known of the calls of a group, or of all of them: each call's times, by the second in
/// which it was due. Pure.
class LoadRecord {
 public:
  struct Second {
    std::vector<CallTimes> calls;  ///< completed
    std::uint32_t asked = 0;       ///< calls due
  };

  void asked(double at, unsigned calls);
  void completed(double at, const CallTimes& times);
  /// Errors, each with the first one's words.
  void refused(std::uint64_t calls, const std::string& why);
  void failed(const std::string& why);
  void lost(std::uint64_t calls, const std::string& why);
  void repeated(std::uint64_t times, const std::string& what);
  void retried() { ++retries_; }

  void add(const LoadRecord& other);
  /// `seconds`: how long the measured part was. Without a completed call the times are not a
  /// number.
  Figures figures(double seconds) const;
  const std::vector<Second>& seconds() const { return seconds_; }
  const std::string& first_error() const { return first_error_; }

 private:
  Second& second(double at);
  void note(const std::string& why);

  std::vector<Second> seconds_;
  std::string first_error_;
  std::uint64_t refused_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t repeats_ = 0;
  std::uint64_t retries_ = 0;
};

/// A share of all values, by the name that figures have.
struct Share {
  const char* name;
  double share;
};
inline constexpr std::array<Share, 6> kShares{
    {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}}};

/// Adds to the figures the values at `kShares`, as `prefix` and the share's name; of no values
/// they are not a number. Reorders the values.
void add_shares(Figures& figures, const std::string& prefix, std::vector<float>& values);

/// The value below which `share` of them lie (nearest rank); 0 of none. Reorders them.
float percentile(std::vector<float>& values, double share);

}  // namespace toolway::cli::bench::figures
