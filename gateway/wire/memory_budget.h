#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "gateway/wire/problem.h"
#include "monitoring/metrics.h"

namespace toolway::gateway::wire {

/// What memory is held for. Followers wait first when much is already held, answers are refused
/// later, and requests last: a slow reader does not keep calls from being accepted.
enum class MemoryUse { kFollower, kAnswer, kRequest };

/// Counts what clients make a gateway hold: what they send, pages and results on their way to
/// them, events that they do not read. Small parts of it come with every connection and are not
/// counted (docs/operations.md, "Memory of a gateway"). On the io_context's thread; must outlive
/// its shares.
class MemoryBudget {
 public:
  /// What every connection may hold of a request, and of an answer, without being counted.
  static constexpr std::size_t kUncounted = 8 * 1024;

  MemoryBudget(std::size_t most, monitoring::Gauge& held) : most_(most), gauge_(held) {}

  /// Held for one purpose, until it is destroyed.
  class Share {
   public:
    Share() = default;
    Share(MemoryBudget& budget, MemoryUse use) : budget_(&budget), use_(use) {}
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)),
          use_(other.use_),
          bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(use_, other.use_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() { resize(0); }
    /// False: not that much is left, and the share stays as it was. Shrinking always succeeds.
    [[nodiscard]] bool try_resize(std::size_t bytes) {
      if (budget_ == nullptr || bytes == bytes_) return true;
      if (bytes > bytes_ && bytes - bytes_ > budget_->left(use_)) return false;
      resize(bytes);
      return true;
    }
    /// For what is already held.
    void resize(std::size_t bytes) {
      if (budget_ == nullptr || bytes == bytes_) return;
      budget_->change(bytes_, bytes);
      bytes_ = bytes;
    }
    std::size_t bytes() const { return bytes_; }

   private:
    MemoryBudget* budget_ = nullptr;
    MemoryUse use_ = MemoryUse::kRequest;
    std::size_t bytes_ = 0;
  };

  /// Errors: overloaded, with a Retry-After.
  HttpResult<Share> take(MemoryUse use, std::size_t bytes);
  std::size_t held() const { return held_; }
  std::size_t most() const { return most_; }

 private:
  std::size_t left(MemoryUse use) const;
  void change(std::size_t from, std::size_t to) {
    held_ += to - from;
    gauge_.add(static_cast<double>(to) - static_cast<double>(from));
  }

  const std::size_t most_;
  monitoring::Gauge& gauge_;
  std::size_t held_ = 0;
};

/// The most that a page takes, from its rows to its text (persistence::store::kMaxPageBytes).
inline constexpr std::size_t kPageMemory = 16 * 1024 * 1024;

/// What a client is told when its request would take more than is left.
Problem memory_problem();

}  // namespace toolway::gateway::wire
