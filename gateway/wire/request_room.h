#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

namespace toolway::gateway::wire {

/// How many requests of each user are being answered, so that one user cannot take all the room. On
/// one thread; what it gives out must not outlive it.
class UserRequests {
 public:
  /// 0: no bound
  explicit UserRequests(std::size_t most) : most_(most) {}

  /// One request's place, until destroyed.
  class Place {
   public:
    Place() = default;
    Place(UserRequests& of, std::unordered_map<std::string, std::size_t>::value_type& entry)
        : of_(&of), entry_(&entry) {}
    Place(Place&& other) noexcept : of_(std::exchange(other.of_, nullptr)), entry_(other.entry_) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(entry_, other.entry_);
      return *this;
    }
    ~Place() {
      if (of_ != nullptr && --entry_->second == 0)
        of_->users_.erase(of_->users_.find(entry_->first));
    }
    explicit operator bool() const { return of_ != nullptr; }

   private:
    UserRequests* of_ = nullptr;
    std::unordered_map<std::string, std::size_t>::value_type* entry_ = nullptr;
  };
  /// False when the user has reached the limit.
  Place enter(const std::string& user) {
    auto& entry = *users_.try_emplace(user).first;
    if (most_ != 0 && entry.second >= most_) return {};
    ++entry.second;
    return {*this, entry};
  }
  std::size_t most() const { return most_; }
  std::size_t users() const { return users_.size(); }

 private:
  const std::size_t most_;
  std::unordered_map<std::string, std::size_t> users_;
};

}  // namespace toolway::gateway::wire
