#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/jetstream_bus.h"
#include "bus/key_value.h"
#include "proto/toolway/v1/audit.pb.h"

namespace toolway::cli::switches {

/// Where the NATS of a fleet is.
struct FleetNats {
  std::string nats;  ///< empty: of a running `toolway dev`, else the processes' default
  std::string data;  ///< of that `toolway dev`; empty: .toolway
};

/// A bucket of a fleet for an operator's command, asked and waited for: a verb does one thing at a
/// time. Errors of all: kBusUnavailable and kTimeout, and their own.
class OperatorBucket {
 public:
  /// Errors: kInvalidRequest (no `toolway dev` is running there).
  static Result<std::unique_ptr<OperatorBucket>> open(const FleetNats& fleet,
                                                      std::string_view bucket);

  Result<std::vector<bus::Entry>> list();
  /// What is there under `key`; revision 0: nothing ever was.
  Result<bus::Entry> get(const std::string& key);
  /// Errors: kWrongLastSequence when the entry is no longer `before`.
  Result<void> put(const bus::Entry& before, const std::string& value);
  /// Records in the audit what was put, and warns on standard error when it cannot: what was put
  /// is in force all the same.
  void tell_audit(const v1::AuditRecord& record);

 private:
  OperatorBucket(std::unique_ptr<bus::Bus> bus, std::string url, std::string_view bucket);
  Result<void> await_connection();

  const std::unique_ptr<bus::Bus> bus_;
  const std::string url_;
  bus::KeyValue entries_;
};

}  // namespace toolway::cli::switches
