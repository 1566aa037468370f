#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/client/follow.h"
#include "cli/client/verbs.h"
#include "cli/terminal/report.h"
#include "cli/terminal/table.h"

/// What the client verbs share: asking, and saying what came back.
namespace toolway::cli::client {

/// Of verbs that print for people only.
using terminal::report_error;

/// Prints a problem document on standard error: in words, or as it is with `-o json`. Returns the
/// exit status.
int report_problem(const ClientContext& context, const HttpAnswer& answer,
                   terminal::Subject subject = {});

/// Asks, and reports an answer that is not 2xx, or not what is wanted: then `answer` is empty, and
/// `status` says how to exit.
enum class Wanted { kObject, kText };
struct GatewayAnswer {
  std::optional<HttpAnswer> answer;
  int status = 0;
};
GatewayAnswer ask(const ClientContext& context, std::string_view method, const std::string& target,
                  const std::string& body = {}, const HttpClient::Headers& headers = {},
                  Wanted wanted = Wanted::kObject);

/// The same, and shows the answer: as it is where JSON is asked for, else as `print` has it. How to
/// exit.
int ask_and_show(const ClientContext& context, std::string_view method, const std::string& target,
                 const std::string& body, const std::function<void(const OrderedJson&)>& print);

/// `what` (no worker serves pool 'x'), and which names may have been meant; nothing of it when
/// `known` has the name. The exit status, or kExitOk.
int refuse_unknown_name(const ClientContext& context, const std::string& what,
                        const std::string& name, const std::vector<std::string>& known);

/// Of a verb that follows events until Ctrl-C: it says on standard error that it does (`opened`),
/// and when the gateway is away, unless a program reads the output.
Following signs_of(const ClientContext& context, const std::string& opened);

/// Of an empty list of calls: which filter fits nothing that there is, on standard error.
void say_filter_hints(const ClientContext& context, const CallListOptions& options);

/// The `warnings` of an answer, on standard error.
void say_warnings(const ClientContext& context, const OrderedJson& answer);

/// Whether a tool of a list is there for `toolway bench` alone.
bool is_for_benchmarks(const OrderedJson& tool);
/// A JSON value as a table cell: strings bare, null empty.
std::string cell(const OrderedJson& object, const char* field);
void print_json(const OrderedJson& value);
/// Says when a list, a mailbox or counts lack what is not recorded yet.
void say_behind(const ClientContext& context, const OrderedJson& body);
/// `12:00:00.123` of an RFC 3339 time.
std::string clock_time(const std::string& rfc3339);
/// What an event of a tool that asks says: its questions by their keys, or which were answered.
std::string asked_text(const OrderedJson& event);
/// One event as a line for people; in a pipe with whole ids and results.
std::string event_line(const OrderedJson& event, const terminal::View& view);
/// Of a call: its outcome in that outcome's colour, or its state.
terminal::Cell state_cell(const OrderedJson& call);
/// Of a call or completion: its result as JSON, or the message of its error.
std::string result_text(const OrderedJson& call);
std::string outcome_text(const std::string& outcome, const terminal::Style& style);

}  // namespace toolway::cli::client
