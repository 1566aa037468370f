#pragma once

#include <string>
#include <vector>

#include "cli/client/answer_options.h"
#include "cli/client/http_client.h"
#include "cli/terminal/view.h"

/// The verbs that talk to a gateway. Each prints, and returns the exit status.
namespace toolway::cli::client {

struct ClientContext {
  ClientOptions http;
  terminal::View view;
};

/// Of the fleet, or of a session; `ns` empty: of every namespace.
int list_tools(const ClientContext& context, const std::string& session, const std::string& ns);
/// What a tool does, and which arguments it takes; of the fleet, or of a session.
int show_tool(const ClientContext& context, const std::string& name, const std::string& session);

/// The session of calls that name none.
inline constexpr std::string_view kOwnSession = "cli";

struct CallOptions {
  std::string session{kOwnSession};
  std::string tool;
  std::vector<std::string> arguments;  ///< JSON, @FILE, - or name=value pairs; none: {}
  std::string tool_call_id;
  std::string idempotency_key;  ///< empty: none
  bool wait = false;
  unsigned timeout_s = 0;  ///< of the wait; 0: until the call ends
  bool follow = false;     ///< show events until it completes
};
int call_tool(const ClientContext& context, const CallOptions& options);

struct WatchOptions {
  std::string session;
  std::string after;  ///< an event's id; `0`: from the first event; empty: what comes next
};
int watch_session(const ClientContext& context, const WatchOptions& options);

struct OpenOptions {
  std::string session;
  std::vector<std::string> namespaces;
  std::string metadata;
};
int open_session(const ClientContext& context, const OpenOptions& options);
/// An open session gains the namespaces of `options`.
int add_namespaces(const ClientContext& context, const OpenOptions& options);
int show_session(const ClientContext& context, const std::string& session);
int list_sessions(const ClientContext& context, unsigned limit);

struct CloseOptions {
  std::string session;
  std::string pending = "wait";  ///< wait, detach or cancel: what becomes of the calls in progress
  unsigned timeout_ms = 30000;
};
int close_session(const ClientContext& context, const CloseOptions& options);

struct DeleteOptions {
  std::string session;
  bool cancel = false;          ///< the calls in progress; false: refuse while there are any
  unsigned timeout_ms = 30000;  ///< for them to end
  bool yes = false;             ///< do not ask
};
/// Asks first, on a terminal; elsewhere it wants `yes`.
int delete_session(const ClientContext& context, const DeleteOptions& options);
int restore_session(const ClientContext& context, const std::string& session);

struct MailboxOptions {
  std::string session;
  std::string after;  ///< a cursor; empty: what is not acknowledged
  unsigned limit = 50;
  bool ack = false;  ///< acknowledge what was shown
};
int read_mailbox(const ClientContext& context, const MailboxOptions& options);

/// Which calls; what is empty leaves nothing out. The gateway reads times and durations.
struct CallListOptions {
  std::string session;
  std::string tool;
  std::string namespace_;
  std::string state;
  std::string outcome;
  std::string error_code;
  std::string since, until;
  std::string min_duration, max_duration;
  unsigned attempts = 0;
  unsigned limit = 50;
  bool watch = false;  ///< again every 2 s, until Ctrl-C
};
int list_calls(const ClientContext& context, const CallListOptions& options);
/// With its history.
int show_call(const ClientContext& context, const std::string& call);

struct RetryOptions {
  std::string call;
  std::string arguments;  ///< instead of the call's own; empty: those
  bool wait = false;
  unsigned timeout_s = 0;  ///< of the wait; 0: until the call ends
};
/// Calls the same tool in the same session once more.
int retry_call(const ClientContext& context, const RetryOptions& options);

struct LogOptions {
  std::string of;  ///< a call's id, or a session; empty: the user's newest calls
  std::string tool;
  bool once = false;  ///< what there is, without following (of a session: always followed)
};
/// What tools log, as it comes.
int show_logs(const ClientContext& context, const LogOptions& options);

struct TopOptions {
  unsigned seconds = 60;  ///< of calls are looked at
  bool once = false;
};
/// Pools, queues and the slowest tools; refreshed on a terminal.
int show_top(const ClientContext& context, const TopOptions& options);

struct CancelOptions {
  std::string call;
  std::string reason;
};
int cancel_call(const ClientContext& context, const CancelOptions& options);

/// Answers what a call's tool asks; without an answer, shows what that is.
int answer_call(const ClientContext& context, const AnswerOptions& options);

/// `approve` or `deny`: of a call that waits for approval.
int decide_call(const ClientContext& context, const std::string& verb,
                const CancelOptions& options);
struct ApprovalListOptions {
  unsigned limit = 50;
  std::string state = "waiting";  ///< as `?state=` of GET /v1/approvals
  bool watch = false;             ///< again every 2 s, until Ctrl-C
};
/// The calls about which the user may decide.
int list_approvals(const ClientContext& context, const ApprovalListOptions& options);
/// Why a call waits, or what has happened to it.
int explain_call(const ClientContext& context, const std::string& call);
/// `pool`: only those of one; empty: all.
int list_workers(const ClientContext& context, const std::string& pool);

struct ResultOptions {
  std::string call;
  std::string file;  ///< empty: standard output
};
/// The whole result's JSON, written as it comes.
int save_result(const ClientContext& context, const ResultOptions& options);

}  // namespace toolway::cli::client
