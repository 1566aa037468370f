#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

namespace toolway::gateway::wire {

/// How many places are taken, and by which user: of requests that are being answered, or of calls
/// that they wait for. So neither all users nor one of them make a gateway hold more than it can.
/// On one thread; what it gives out must not outlive it.
class UserPlaces {
 public:
  struct Caps {
    std::size_t most = std::numeric_limits<std::size_t>::max();  ///< of all users
    std::size_t per_user = 0;                                    ///< 0: only the total limits them
  };
  explicit UserPlaces(Caps caps) : caps_(caps) {}

  /// One place, until destroyed.
  class Place {
   public:
    Place() = default;
    Place(UserPlaces& of, std::unordered_map<std::string, std::size_t>::value_type& entry)
        : of_(&of), entry_(&entry) {}
    Place(Place&& other) noexcept : of_(std::exchange(other.of_, nullptr)), entry_(other.entry_) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(entry_, other.entry_);
      return *this;
    }
    ~Place() {
      if (of_ == nullptr) return;
      --of_->taken_;
      if (--entry_->second == 0) of_->users_.erase(of_->users_.find(entry_->first));
    }
    explicit operator bool() const { return of_ != nullptr; }

   private:
    UserPlaces* of_ = nullptr;
    std::unordered_map<std::string, std::size_t>::value_type* entry_ = nullptr;
  };
  /// False when all places, or all of this user's, are taken.
  Place enter(const std::string& user) {
    if (taken_ >= caps_.most) return {};
    auto& entry = *users_.try_emplace(user).first;
    if (caps_.per_user != 0 && entry.second >= caps_.per_user) return {};
    ++taken_;
    ++entry.second;
    return {*this, entry};
  }
  std::size_t taken() const { return taken_; }
  std::size_t users() const { return users_.size(); }
  const Caps& caps() const { return caps_; }

 private:
  const Caps caps_;
  std::size_t taken_ = 0;
  std::unordered_map<std::string, std::size_t> users_;
};

}  // namespace toolway::gateway::wire
