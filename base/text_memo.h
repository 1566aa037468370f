#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "base/sha256.h"

namespace toolway {

/// What was made of texts, so that a text that comes again is not read again: of the texts that
/// came last, as long as they have few enough bytes together. The texts themselves are not kept.
/// Thread-safe.
template <typename T>
class TextMemo {
 public:
  using Ptr = std::shared_ptr<const T>;
  explicit TextMemo(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  static std::string key_of(std::string_view text) { return sha256_bytes(text); }

  /// Null: it is not known.
  Ptr find(const std::string& key) {
    const MutexLock lock(mutex_);
    const auto known = known_.find(key);
    if (known == known_.end()) return nullptr;
    newest_.splice(newest_.begin(), newest_, known->second);
    return known->second->made;
  }

  /// `bytes`: of the text. One that is too long by itself is not kept.
  void put(const std::string& key, std::size_t bytes, Ptr made) {
    const MutexLock lock(mutex_);
    if (bytes > max_bytes_ || known_.contains(key)) return;
    newest_.push_front({key, bytes, std::move(made)});
    known_.emplace(key, newest_.begin());
    bytes_ += bytes;
    for (; bytes_ > max_bytes_; newest_.pop_back()) {
      bytes_ -= newest_.back().bytes;
      known_.erase(newest_.back().key);
    }
  }

 private:
  struct Entry {
    std::string key;
    std::size_t bytes = 0;
    Ptr made;
  };
  const std::size_t max_bytes_;
  Mutex mutex_;
  std::list<Entry> newest_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, typename std::list<Entry>::iterator> known_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace toolway
