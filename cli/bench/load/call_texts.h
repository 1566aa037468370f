#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/scenario/scenario.h"

namespace toolway::cli::bench::load {

/// The bodies of a group's requests, one for each kind of call, and whose turn it is: kinds follow
/// each other evenly by their weights (smooth weighted round robin), the same in every run. Pure.
class CallTexts {
 public:
  /// `kind_call`: the call of another kind's tool, by the choice's `kind`.
  template <typename KindCall>
  CallTexts(const scenario::LoadGroup& group, KindCall kind_call) {
    for (const auto& choice : group.calls)
      add(choice, choice.kind == "native" ? own_call(choice) : kind_call(choice.kind), group.batch);
  }

  /// Of the next request.
  std::size_t next();
  /// What its request ends with: the header of its length, an empty line, the body.
  std::string_view ending(std::size_t choice) const { return sorts_[choice].ending; }
  std::string_view body(std::size_t choice) const {
    return ending(choice).substr(sorts_[choice].body_at);
  }

  /// The call of a choice of kind native.
  static OrderedJson own_call(const scenario::CallChoice& choice);

 private:
  void add(const scenario::CallChoice& choice, const OrderedJson& call, unsigned batch);

  struct Sort {
    std::string ending;
    std::size_t body_at = 0;
    std::int64_t weight = 1;
    std::int64_t credit = 0;
  };
  std::vector<Sort> sorts_;
  std::int64_t total_ = 0;
};

}  // namespace toolway::cli::bench::load
