#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "cli/client/verbs.h"
#include "cli/terminal/table.h"

/// What the verbs over calls ask for, and how they show it. Pure.
namespace toolway::cli::client {

/// `GET` of the calls that `options` describe, without `limit` and `before`; it has a query.
std::string calls_target(const CallListOptions& options);

/// The columns of a list of calls, and one call in them.
terminal::Table calls_table();
terminal::Table::Row call_row(const OrderedJson& call, const terminal::View& view);

/// Which way a call came, for the end of a line; empty: over REST, or it is not known.
std::string face_text(const std::string& face);

/// One line of a call's history: when it happened, counted from the call's submission, and what.
struct HistoryLine {
  std::chrono::microseconds at{};
  std::string event;
  std::string text;
};
/// From the submission to the completion. Progress reports in a row are one line.
std::vector<HistoryLine> history_of(const OrderedJson& call, const OrderedJson& events);

/// The events of a call as a program reads them: first that it was accepted, which its log does not
/// say, then those of its log.
OrderedJson events_from_acceptance(const OrderedJson& call, const OrderedJson& events);

/// Whether an event is a tool's log line; `tool`: and of that one (`name` or `namespace.name`).
bool is_log_of(const OrderedJson& event, std::string_view tool);
/// `12:00:00.123 time.now warning: slow`; urgent: an error.
struct LogLine {
  std::string text;
  bool urgent = false;
};
LogLine log_line(const OrderedJson& event);

}  // namespace toolway::cli::client
