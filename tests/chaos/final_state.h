#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/chaos/event_seen.h"
#include "tests/chaos/reading.h"
#include "tests/chaos/talk_history.h"

namespace toolway::chaos {

/// A call as Postgres has it when all is quiet.
struct CallRow {
  std::string call_id;
  std::string user;
  std::string session;
  std::string tool;     ///< with its namespace
  std::string token;    ///< of the arguments
  std::string outcome;  ///< empty: no completion
  unsigned attempt = 0;
  std::string parent{};  ///< the turn that made it; empty: none did
};

/// A record of the audit.
struct AuditSeen {
  std::string what;
  std::string id;      ///< of a call, where it is about one
  std::string object;  ///< a key's id, a tool, …
  std::string outcome;
  std::string digest{};  ///< of a policy's text
};

/// What tables say of decisions when all is quiet.
struct Decided {
  std::vector<AuditSeen> records;
  /// Ids of calls, once for each event `approval_decided` of their logs.
  std::vector<std::string> decisions;
  std::map<std::string, std::string> approvals;  ///< the state of each call that was held
  std::map<std::string, bool> keys;              ///< of API keys, by id: whether it is revoked
};

/// An event's place as Postgres has it.
struct EventRow {
  std::int64_t incarnation = 0;
  std::uint64_t sequence = 0;
  std::string call_id;
  std::string type;
  unsigned attempt = 0;
  unsigned seq = 0;
};

/// How a gateway shows a call.
struct CallShown {
  std::string call_id;
  std::string outcome;
  std::size_t digest = 0;  ///< of all that it says about the end
  Reading reading{};
};

/// What one gateway says of a session when all is quiet.
struct GatewayView {
  std::string gateway;
  std::vector<EventSeen> page;              ///< of `events` as pages, from the first
  std::vector<EventSeen> replay;            ///< of `events` as a stream from 0
  std::map<std::string, CallShown> calls;   ///< as the session's list has them
  std::map<std::string, CallShown> single;  ///< asked for by id: a sample
  std::vector<std::string> mailbox;         ///< call_ids from cursor 0; see `mailbox_read`
  bool mailbox_read = false;
};

/// A session when all is quiet.
struct SessionEnd {
  std::string user;
  std::string session;
  std::vector<CallRow> calls;    ///< by call_id
  std::vector<EventRow> events;  ///< by incarnation and sequence; completions too
  std::vector<GatewayView> views;
};

/// A turn as Postgres has it when all is quiet.
struct TurnEnd {
  std::string call_id;
  std::string session;
  std::string step;     ///< send, continue, new
  std::string token;    ///< of its message; empty: it has none
  std::string outcome;  ///< empty: no completion
  std::string code;     ///< of its error
  std::string conversation;
  std::string reply;
  std::uint64_t last_message = 0;
};

/// A message as Postgres has it.
struct StoredMessage {
  std::uint64_t number = 0;
  std::string turn;
  OrderedJson body{};
};

/// A conversation when all is quiet.
struct ConversationEnd {
  std::string id;
  std::string user;
  std::string session;
  std::uint64_t number = 0;  ///< of the session's; the highest is the current one
  std::vector<StoredMessage> messages{};
  /// As each gateway shows it.
  std::vector<std::vector<MessageShown>> shown{};
};

/// A start of a tool that leaves traces.
struct Trace {
  std::string call_id;
  unsigned attempt = 0;
  std::int64_t at_us = 0;
  std::string token;
};

}  // namespace toolway::chaos
