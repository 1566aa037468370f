#include "cli/verbs.h"

#include <CLI/CLI.hpp>

#include "cli/client/reach_options.h"

namespace toolway::cli {
namespace {

/// Of a list that ends there, and says so.
constexpr const char* kLimitHelp = "show this many at most";
CLI::Range one_or_more() { return {1U, 1'000'000U}; }

/// Percent, of `replay`.
CLI::Range percent() { return {0.0, 1e6}; }

void add_gateway_options(CLI::App& sub, Chosen& chosen) {
  sub.add_option("--url", chosen.client.http.url, "gateway URL (TOOLWAY_URL)")
      ->capture_default_str();
  sub.add_option("--user", chosen.client.http.user, "user to act as (TOOLWAY_USER)");
  client::add_reach_options(sub, chosen.client.http.reach);
}

/// A verb that prints a table, or an object as one.
CLI::App* client_verb(CLI::App& app, Chosen& chosen, const char* name, const char* text,
                      std::function<int()> verb) {
  auto* sub = app.add_subcommand(name, text);
  add_gateway_options(*sub, chosen);
  terminal::add_table_options(*sub, chosen.view);
  sub->callback([&chosen, verb = std::move(verb)] { chosen.verb = verb; });
  return sub;
}

void add_tools_verbs(CLI::App& app, Chosen& chosen) {
  auto* tools =
      client_verb(app, chosen, "tools",
                  "List tools; create one, run one alone; switch them off and on", nullptr);
  tools->add_option("--session", chosen.name, "only those of a session");
  tools->add_option("--namespace,-n", chosen.ns, "only those of a namespace");
  tools->callback([&chosen, tools] {
    // Its own verbs have chosen already.
    if (tools->get_subcommands().empty())
      chosen.verb = [&chosen] { return client::list_tools(chosen.client, chosen.name, chosen.ns); };
  });
  auto* show = client_verb(*tools, chosen, "show", "Show a tool and the arguments it takes", [&] {
    return client::show_tool(chosen.client, chosen.tool, chosen.name);
  });
  show->add_option("tool", chosen.tool, "name, or namespace.name")->required();
  show->add_option("--session", chosen.name, "of a session, instead of the fleet");
  switches::add_switch_verbs(*tools, chosen.switches, chosen.view, chosen.verb);
  authoring::add_alone_verbs(*tools, chosen.alone, chosen.view, chosen.verb);
}

void add_call_verbs(CLI::App& app, Chosen& chosen) {
  auto* call = app.add_subcommand("call", "Call a tool");
  add_gateway_options(*call, chosen);
  terminal::add_output_option(*call, chosen.view, {"table", "raw", "json"});
  call->callback(
      [&] { chosen.verb = [&] { return client::call_tool(chosen.client, chosen.call); }; });
  call->add_option("tool", chosen.call.tool, "name, or namespace.name")->required();
  call->add_option("arguments", chosen.call.arguments,
                   "a JSON object, @FILE, - (standard input), or NAME=VALUE pairs");
  call->add_option("--session", chosen.call.session,
                   "opened with every namespace if it does not exist")
      ->capture_default_str();
  call->add_option("--tool-call-id", chosen.call.tool_call_id, "the model's own id");
  call->add_option("--idempotency-key", chosen.call.idempotency_key,
                   "repeating the key and arguments gives the same call");
  auto* wait = call->add_flag("--wait", chosen.call.wait, "wait for the result");
  call->add_option(
          "--timeout", chosen.call.timeout_s,
          "seconds to wait; then the call continues, and the exit status is 6; 0: until it ends")
      ->needs(wait)
      ->capture_default_str();
  call->add_flag("--follow", chosen.call.follow, "show its events until it completes");
  auto* watch = client_verb(app, chosen, "watch", "Follow a session live",
                            [&] { return client::watch_session(chosen.client, chosen.watch); });
  watch->add_option("session", chosen.watch.session)->required();
  watch->add_option("--after", chosen.watch.after,
                    "an event's id; 0: from the session's first event");
}

void add_session_delete(CLI::App& session, Chosen& chosen) {
  auto* remove =
      client_verb(session, chosen, "delete", "Delete a session and its calls for good",
                  [&] { return client::delete_session(chosen.client, chosen.deletion); });
  remove->add_option("session", chosen.deletion.session)->required();
  remove->add_flag("--cancel", chosen.deletion.cancel, "cancel the calls in progress first");
  remove
      ->add_option("--timeout-ms", chosen.deletion.timeout_ms, "how long cancelled calls may take")
      ->check(CLI::Range(1U, 300'000U))
      ->capture_default_str();
  remove->add_flag("--yes,-y", chosen.deletion.yes, "do not ask first");
}

void add_session_verbs(CLI::App& app, Chosen& chosen) {
  auto* session =
      app.add_subcommand("session", "Open, show, list, close, restore and delete sessions")
          ->require_subcommand(0, 1);
  auto* open = client_verb(*session, chosen, "open", "Open a session",
                           [&] { return client::open_session(chosen.client, chosen.open); });
  open->add_option("session", chosen.open.session, "its id; the server makes one if it is missing");
  open->add_option("--namespace,-n", chosen.open.namespaces,
                   "tool namespace to offer; repeatable; * is all of them")
      ->delimiter(',');
  open->add_option("--metadata", chosen.open.metadata, "a JSON object");
  auto* add = client_verb(*session, chosen, "add-namespaces", "Offer an open session more tools",
                          [&] { return client::add_namespaces(chosen.client, chosen.open); });
  add->add_option("session", chosen.open.session)->required();
  add->add_option("--namespace,-n", chosen.open.namespaces,
                  "tool namespace to add; repeatable; * is all of them")
      ->delimiter(',')
      ->required();
  client_verb(*session, chosen, "show", "Show a session",
              [&] { return client::show_session(chosen.client, chosen.name); })
      ->add_option("session", chosen.name)
      ->required();
  client_verb(*session, chosen, "list", "List sessions",
              [&] { return client::list_sessions(chosen.client, chosen.limit); })
      ->add_option("--limit", chosen.limit, kLimitHelp)
      ->check(one_or_more())
      ->capture_default_str();
  auto* close = client_verb(*session, chosen, "close", "Close a session, and account for its calls",
                            [&] { return client::close_session(chosen.client, chosen.close); });
  close->add_option("session", chosen.close.session)->required();
  close
      ->add_option("--pending", chosen.close.pending,
                   "wait for the calls in progress, detach from them, or cancel them")
      ->check(CLI::IsMember({"wait", "detach", "cancel"}))
      ->capture_default_str();
  close->add_option("--timeout-ms", chosen.close.timeout_ms, "how long to wait for them")
      ->check(CLI::Range(1U, 300'000U))
      ->capture_default_str();
  client_verb(*session, chosen, "restore",
              "Open a closed session again, and show its unread completions",
              [&] { return client::restore_session(chosen.client, chosen.name); })
      ->add_option("session", chosen.name)
      ->required();
  add_session_delete(*session, chosen);
  auto* mailbox = client_verb(app, chosen, "mailbox", "Show a session's unread completions",
                              [&] { return client::read_mailbox(chosen.client, chosen.mailbox); });
  mailbox->add_option("session", chosen.mailbox.session)->required();
  mailbox->add_option("--after", chosen.mailbox.after,
                      "a completion's cursor; 0: from the first one");
  mailbox->add_option("--limit", chosen.mailbox.limit, kLimitHelp)
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  mailbox->add_flag("--ack", chosen.mailbox.ack,
                    "acknowledge what was shown, so that it is not shown again");
}

void add_call_list(CLI::App& calls, Chosen& chosen) {
  auto* list = client_verb(calls, chosen, "list", "List your calls, newest first",
                           [&] { return client::list_calls(chosen.client, chosen.calls); });
  auto& options = chosen.calls;
  list->add_option("session", options.session, "only those of a session");
  list->add_option("--tool", options.tool, "name, or namespace.name");
  list->add_option("--namespace,-n", options.namespace_, "of the tool");
  list->add_option("--state", options.state)
      ->check(CLI::IsMember({"held", "queued", "running", "completed"}));
  list->add_option("--outcome", options.outcome)
      ->check(CLI::IsMember(
          {"succeeded", "failed", "rejected", "cancelled", "timed_out", "unknown", "lost"}));
  list->add_option("--error", options.error_code, "code of the error");
  list->add_option("--since", options.since, "an age (15m, 2h), or a time (RFC 3339)");
  list->add_option("--until", options.until, "likewise");
  list->add_option("--min-duration", options.min_duration, "ran as long or longer (250ms, 1.5s)");
  list->add_option("--max-duration", options.max_duration, "ran as long or less");
  list->add_option("--attempts", options.attempts, "this many or more")
      ->check(CLI::Range(1U, 1000U));
  list->add_option("--limit", options.limit, kLimitHelp)
      ->check(one_or_more())
      ->capture_default_str();
  list->add_flag("--watch", options.watch, "show them again every 2 s, until Ctrl-C");
}

void add_live_verbs(CLI::App& app, Chosen& chosen) {
  auto* logs = client_verb(app, chosen, "logs", "Show what tools log, as it comes",
                           [&] { return client::show_logs(chosen.client, chosen.logs); });
  logs->add_option("of", chosen.logs.of, "a call's id, or a session");
  logs->add_option("--tool", chosen.logs.tool,
                   "only those of a tool; alone: of your newest 20 calls of it");
  logs->add_flag("--once", chosen.logs.once, "what there is, without following");
  auto* top = client_verb(app, chosen, "top", "Show pools, queues and the slowest tools, live",
                          [&] { return client::show_top(chosen.client, chosen.top); });
  top->add_option("--seconds", chosen.top.seconds, "of your calls that are looked at")
      ->check(CLI::Range(1U, 86'400U))
      ->capture_default_str();
  top->add_flag("--once", chosen.top.once, "one snapshot");
}

void add_calls_verbs(CLI::App& app, Chosen& chosen) {
  auto* calls =
      app.add_subcommand("calls", "List, show, retry, answer, cancel, approve and deny calls")
          ->require_subcommand(0, 1);
  add_call_list(*calls, chosen);
  auto* retry = client_verb(*calls, chosen, "retry", "Call the same tool again in the same session",
                            [&] { return client::retry_call(chosen.client, chosen.retry); });
  retry->add_option("call", chosen.retry.call)->required();
  retry->add_option("--arguments", chosen.retry.arguments,
                    "a JSON object, or @FILE, instead of the call's own");
  auto* wait = retry->add_flag("--wait", chosen.retry.wait, "wait for the result");
  retry->add_option("--timeout", chosen.retry.timeout_s, "seconds to wait; 0: until it ends")
      ->needs(wait)
      ->capture_default_str();
  client_verb(*calls, chosen, "show", "Show a call",
              [&] { return client::show_call(chosen.client, chosen.name); })
      ->add_option("call", chosen.name)
      ->required();
  auto* cancel = client_verb(*calls, chosen, "cancel", "Cancel a call",
                             [&] { return client::cancel_call(chosen.client, chosen.cancel); });
  cancel->add_option("call", chosen.cancel.call)->required();
  cancel->add_option("--reason", chosen.cancel.reason, "shown in its events");
  auto* answer =
      client_verb(*calls, chosen, "answer", "Answer what a call's tool asks, or show what that is",
                  [&] { return client::answer_call(chosen.client, chosen.answer); });
  answer->add_option("call", chosen.answer.call)->required();
  answer->add_option("answer", chosen.answer.words,
                     "fields of the form, as NAME=VALUE or NAME:=JSON; or the whole answer: JSON, "
                     "@FILE, or - for standard input");
  answer->add_option("--key", chosen.answer.key, "of the question, when several wait");
  answer->add_flag("--accept", chosen.answer.accept, "accept, without fields");
  answer->add_flag("--decline", chosen.answer.decline, "decline");
  for (const auto* verb : {"approve", "deny"}) {
    const bool approves = std::string_view(verb) == "approve";
    auto* decide = client_verb(
        *calls, chosen, verb,
        approves ? "Let a call run that waits for approval" : "End a call that waits for approval",
        [&chosen, verb] { return client::decide_call(chosen.client, verb, chosen.cancel); });
    decide->add_option("call", chosen.cancel.call)->required();
    decide->add_option("--reason", chosen.cancel.reason,
                       approves ? "shown in its events" : "what its caller reads");
  }
  client_verb(app, chosen, "explain", "Say why a call is waiting, or what happened to it",
              [&] { return client::explain_call(chosen.client, chosen.name); })
      ->add_option("call", chosen.name)
      ->required();
  client_verb(app, chosen, "workers", "List the workers", [&] {
    return client::list_workers(chosen.client, chosen.name);
  })->add_option("--pool", chosen.name, "only those of a pool");
  auto* result = client_verb(*calls, chosen, "result", "Write a call's whole result, however large",
                             [&] { return client::save_result(chosen.client, chosen.result); });
  result->add_option("call", chosen.result.call)->required();
  result->add_option("-O,--file", chosen.result.file, "a file, instead of standard output");
}

void add_approval_verbs(CLI::App& app, Chosen& chosen) {
  auto* approvals = app.add_subcommand("approvals", "List calls that wait for your approval")
                        ->require_subcommand(0, 1);
  auto* list = client_verb(*approvals, chosen, "list", "List them, oldest first",
                           [&] { return client::list_approvals(chosen.client, chosen.approvals); });
  list->add_option("--state", chosen.approvals.state,
                   "waiting; or what became of them, newest first: decided, approved, denied, "
                   "expired, stale, cancelled")
      ->capture_default_str();
  auto* watch = client_verb(*approvals, chosen, "watch", "Show them again every 2 s", [&] {
    chosen.approvals.watch = true;
    return client::list_approvals(chosen.client, chosen.approvals);
  });
  for (auto* verb : {list, watch})
    verb->add_option("--limit", chosen.approvals.limit, kLimitHelp)
        ->check(one_or_more())
        ->capture_default_str();
}

void add_replay(CLI::App& app, Chosen& chosen) {
  auto* verb = client_verb(app, chosen, "replay",
                           "Make a recorded session's calls again, and compare how they end",
                           [&] { return replay::replay(chosen.client, chosen.replay); });
  auto& options = chosen.replay;
  verb->add_option("session", options.session)->required();
  verb->add_option("--against", options.against,
                   "a gateway's URL, whose tools run with all that they do; or mocks: a stack of "
                   "its own, where the recorded answers come back")
      ->required();
  verb->add_option("--against-key-file", options.against_key_file,
                   "file with the API key or token for that gateway, which gets no other");
  verb->add_option("--ignore", options.ignored,
                   "JSON Pointer to a part of results that may differ; repeatable")
      ->allow_extra_args(false);
  verb->add_flag("--dangerous", options.dangerous, "make calls of dangerous tools again, too");
  verb->add_option("--mock", options.mocks, "of mocks: a file that answers instead; repeatable")
      ->allow_extra_args(false);
  verb->add_option("--mock-speed", options.mock_speed,
                   "of mocks: 10 is ten times as fast, 0 at once")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  verb->add_option("--limit", options.limit, "of the session's newest calls")
      ->check(CLI::Range(1U, 100'000U))
      ->capture_default_str();
  verb->add_option("--timeout", options.timeout_s, "seconds that one call may take")
      ->check(CLI::Range(1U, 86'400U))
      ->capture_default_str();
  verb->add_option("--time-within", options.bounds.time, "percent that all run times may change")
      ->check(percent())
      ->capture_default_str();
  verb->add_option("--tool-slower", options.bounds.tool, "percent that a tool may be slower")
      ->check(percent())
      ->capture_default_str();
  verb->add_option("--memory-within", options.bounds.memory,
                   "of mocks: percent that the stack's memory may differ from --baseline")
      ->check(percent())
      ->capture_default_str();
  verb->add_option("--save", options.save, "of mocks: file that gets the stack's memory");
  verb->add_option("--baseline", options.baseline, "of mocks: such a file, to compare with");
}

}  // namespace

void add_mcp_serve(CLI::App& mcp, Chosen& chosen) {
  auto* serve = mcp.add_subcommand(
      "serve", "Speak MCP on stdin and stdout, for desktop clients, as a bridge to a gateway");
  add_gateway_options(*serve, chosen);
  auto& options = chosen.mcp_serve;
  serve->add_option("--server", chosen.client.http.url, "the same as --url");
  serve->add_option(
      "--session", options.session,
      "one of yours, which must be open: `toolway session open NAME -n NAMESPACE`; otherwise your "
      "own, `mcp`, with all that you may use");
  serve
      ->add_option("--patience", options.patience_s,
                   "how many seconds to keep retrying a gateway that cannot be reached")
      ->check(CLI::Range(0U, 3600U))
      ->capture_default_str();
  serve->add_option("--log-level", options.log_level, "of what it says on stderr")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  serve->callback([&chosen] {
    chosen.verb = [&] { return mcp_serve::serve(chosen.client, chosen.mcp_serve, *chosen.clock); };
  });
}

void add_client(CLI::App& app, Chosen& chosen) {
  add_tools_verbs(app, chosen);
  add_call_verbs(app, chosen);
  add_session_verbs(app, chosen);
  add_calls_verbs(app, chosen);
  add_approval_verbs(app, chosen);
  add_live_verbs(app, chosen);
  add_replay(app, chosen);
  policies::add_policy_verbs(app, chosen.policies, chosen.view, chosen.verb);
  keys::add_key_verbs(app, chosen.keys, chosen.view, chosen.verb);
  audit::add_audit_verbs(app, chosen.audit, chosen.view, chosen.verb);
  talk::add_talk_verbs(app,
                       {.client = chosen.client,
                        .talk = chosen.talk,
                        .serve = chosen.script,
                        .view = chosen.view,
                        .verb = chosen.verb,
                        .clock = chosen.clock},
                       [&chosen](CLI::App& sub) { add_gateway_options(sub, chosen); });
}

}  // namespace toolway::cli
