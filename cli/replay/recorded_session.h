#pragma once

#include <string>
#include <vector>

#include "cli/client/reporting.h"
#include "cli/replay/comparison.h"

namespace toolway::cli::replay {

/// A call to make again.
struct RecordedCall {
  std::string tool;  ///< namespace.name
  OrderedJson arguments;
  Ending ending;
};

struct RecordedSession {
  std::vector<std::string> namespaces;
  OrderedJson tools;                ///< as the session has them now
  std::vector<RecordedCall> calls;  ///< in the order of their submission
  std::vector<Skipped> skipped;
};

/// Which calls a replay can make.
enum class Target {
  kGateway,  ///< tools run, with all that they do
  kMocks     ///< what was recorded is the answer: only what a tool answered is of use
};

/// Why a call as `GET /v1/calls/{c}` shows it is not made again; empty: it is. Pure.
std::string why_not(const OrderedJson& call, Target target);
/// How a call ended, as `GET /v1/calls/{c}` shows it; its result may be a preview. Pure.
Ending ending_of(const OrderedJson& call);

/// The session's calls, at most `limit` of its newest. What the gateway refuses is reported, and
/// `status` says how to exit.
struct ReadSession {
  RecordedSession session;
  int status = 0;
};
ReadSession read_session(const client::ClientContext& context, const std::string& name,
                         unsigned limit, Target target);

/// How a call ended, with its whole result. `call` may be of any gateway. Reports what is refused.
struct ReadEnding {
  Ending ending;
  int status = 0;
};
ReadEnding read_ending(const client::ClientContext& context, const OrderedJson& call);

}  // namespace toolway::cli::replay
