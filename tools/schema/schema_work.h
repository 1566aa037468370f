#pragma once

#include <cstdint>
#include <exception>

namespace toolway::tools::schema {

/// Counts what one validation does, so that it can be given up. A step is one keyword looked
/// at for one value, about 0.1 us, and what takes longer counts as more. On one thread at a
/// time; the validators find the one of their thread.
class SchemaWork {
 public:
  /// Thrown by `spend`, caught where the validation began.
  struct Spent final : std::exception {
    const char* what() const noexcept override { return "it takes too many steps"; }
  };

  explicit SchemaWork(std::uint64_t most) : left_(most), outer_(current_) { current_ = this; }
  ~SchemaWork() { current_ = outer_; }
  SchemaWork(const SchemaWork&) = delete;
  SchemaWork& operator=(const SchemaWork&) = delete;

  std::uint64_t left() const { return left_; }

  static void spend(std::uint64_t steps) {
    if (current_ == nullptr) return;
    if (current_->left_ < steps) {
      current_->left_ = 0;
      throw Spent();
    }
    current_->left_ -= steps;
  }

 private:
  std::uint64_t left_;
  SchemaWork* outer_;
  static inline thread_local SchemaWork* current_ = nullptr;
};

}  // namespace toolway::tools::schema
