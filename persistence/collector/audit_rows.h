#pragma once

#include <forward_list>
#include <optional>
#include <string>

#include "persistence/audit/audit_row.h"
#include "proto/toolway/v1/audit.pb.h"
#include "proto/toolway/v1/call.pb.h"

/// From messages to records of the audit. Pure.
namespace toolway::persistence::collector {

/// A record, and what of it is not in its message, which must outlive it. Texts are as Postgres
/// keeps them, so that their digest holds.
class AuditRowOf {
 public:
  explicit AuditRowOf(const v1::AuditRecord& record);
  /// That a call waits for approval.
  explicit AuditRowOf(const v1::CallRequest& held);
  /// A decision about a call that waits, or its end.
  explicit AuditRowOf(const v1::CallEvent& event);
  AuditRowOf(const AuditRowOf&) = delete;
  AuditRowOf& operator=(const AuditRowOf&) = delete;

  const audit::AuditRow& row() const { return row_; }

 private:
  template <typename Message>
  void name_call(const Message& message);
  std::string_view keep(std::string text);
  void set_details(std::string json);
  void make_storable();

  audit::AuditRow row_;
  v1::Admission admission_;
  std::forward_list<std::string> kept_;  ///< none moves
};

}  // namespace toolway::persistence::collector
