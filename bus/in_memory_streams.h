#pragma once

#include <map>
#include <string>
#include <string_view>

#include "bus/bus.h"
#include "bus/in_memory_stream.h"

namespace toolway::bus {

/// The streams of an in-memory bus, by name. Guarded by the bus's mutex.
class InMemoryStreams {
 public:
  /// Errors: kNotFound.
  Result<InMemoryStream*> find(std::string_view name);
  Result<InMemoryDurable*> find(const Durable& durable);
  /// The one whose subjects hold `subject`; null: none.
  InMemoryStream* taking(std::string_view subject);

  /// Makes what is missing of `layout`.
  void provision(const Layout& layout, WallTime now);
  /// What was delivered and not acknowledged is due again, now.
  void expire_deliveries();
  /// When something of a durable will be due or expire; max() for never.
  MonotonicTime next_change() const;

 private:
  std::map<std::string, InMemoryStream, std::less<>> by_name_;
};

}  // namespace toolway::bus
