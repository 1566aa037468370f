#include "tests/chaos/verdicts.h"

namespace toolway::chaos {

const char* property_text(Property property) {
  switch (property) {
    case Property::kOneCompletion: return "an accepted call has exactly one completion";
    case Property::kAgreement: return "gateways, streams and Postgres agree";
    case Property::kRefusedNeverRan: return "nothing refused ever ran";
    case Property::kEventOrder: return "event ids increase, none missing or repeated";
    case Property::kExactResume: return "a resume gives the exact suffix";
    case Property::kChain: return "seq without gap, nothing after completion";
    case Property::kSteps: return "numbered progress is whole and in order";
    case Property::kOneStart: return "not idempotent: at most one start";
    case Property::kPrivacy: return "no user read another user's bytes";
    case Property::kMailbox: return "mailbox: each completion once, in order";
    case Property::kIdempotencyKey: return "same idempotency key, same call";
    case Property::kQueueCaps: return "queues stayed within their caps";
    case Property::kNoCrash: return "no process crashed";
    case Property::kApproval: return "nothing ran unapproved, and nothing was decided twice";
    case Property::kSealed: return "every decision is recorded once and sealed";
    case Property::kRunsAtOnce: return "no more calls ran at once than the limit";
    case Property::kFaces: return "a call reads the same in every face";
    case Property::kRpcStream:
      return "MCP: streams have their own messages, in order, to the answer";
    case Property::kRpcResume: return "MCP: a resumed stream has no gap and nothing twice";
    case Property::kTasks: return "MCP: a task is found everywhere, and its end stays";
    case Property::kQuestions: return "a question is asked once, answered once, and told so";
    case Property::kRevocation: return "a revoked key opens nothing, 2 s after it was revoked";
    case Property::kNewKey: return "a new key is taken, 2 s after it was made";
    case Property::kPolicy: return "a policy decides everywhere, 2 s after it was put";
    case Property::kTurns: return "a turn's message and reply are in its conversation, once";
    case Property::kHistory: return "conversations are valid, and what was shown of them stays";
    case Property::kTurnCalls:
      return "what a model asks for is called once, and it reads that result";
    case Property::kTold: return "the end of a call that outlived its turn is told once";
    case Property::kTakenOver: return "a turn whose process ended is ended by another";
    case Property::kLastTurn: return "after the storm every conversation answers";
    case Property::kAnswers: return "no answer outside the API";
  }
  return "";
}

}  // namespace toolway::chaos
