// An explanation as its readers get it.
#include "gateway/calls/explanation.h"
#include "gateway/wire/json_text.h"

namespace toolway::gateway::calls {
namespace {

void write_facts(wire::ObjectText& object, const CallFacts& facts) {
  object.text_or_null("pool", facts.pool);
  object.text_or_null("lane",
                      facts.queue ? proto::lane_name(facts.queue->lane) : std::string_view());
  if (facts.queue)
    object.number("partition", facts.queue->partition);
  else
    object.null("partition");
  if (facts.position)
    object.number("position", *facts.position);
  else
    object.null("position");
  if (facts.queue)
    object.real("rate", facts.queue->drained);
  else
    object.null("rate");
  object.number("pool_waiting", facts.pool_waiting);
  std::uint64_t slots = 0;
  std::uint64_t held = 0;
  for (const admission::HeardWorker& worker : facts.workers) {
    slots += worker.said.slots();
    held += worker.said.held();
  }
  object.number("workers", facts.workers.size());
  object.number("slots", slots);
  object.number("held", held);
  object.real("unrecorded", facts.unrecorded);
  object.text("nats", facts.bus == Reach::kAnswers ? "ok" : "does not answer");
  object.text("postgres", facts.store == Reach::kAnswers ? "ok" : "does not answer");
}

}  // namespace

std::string explanation_json(const CallFacts& facts, const Explanation& explanation) {
  std::string out;
  wire::ObjectText object(out);
  object.text("call_id", facts.call_id);
  object.text("state", explanation.state);
  if (facts.call && !facts.call->face.empty()) object.text("face", facts.call->face);
  object.text("summary", explanation.summary);
  const auto list = [&](std::string_view key, const auto& entries, auto write) {
    object.begin(key);
    wire::write_list(out, entries, [&write](std::string& text, const auto& each) {
      wire::ObjectText entry(text);
      write(entry, each);
      entry.end();
    });
  };
  list("reasons", explanation.reasons, [](wire::ObjectText& entry, const Reason& reason) {
    entry.text("code", reason.code);
    entry.text("message", reason.message);
  });
  list("attempts", explanation.attempts, [](wire::ObjectText& entry, const Attempt& attempt) {
    entry.number("attempt", attempt.number);
    entry.text_or_null("worker_id", attempt.worker_id);
    entry.time_us("started_at", attempt.started_at_us);
    entry.time_us("last_heard_at", attempt.last_heard_us);
    entry.text_or_null("ended", attempt.ended);
    entry.text_or_null("error_code", attempt.error_code);
    entry.text_or_null("error", attempt.error);
  });
  object.begin("facts");
  wire::ObjectText inner(out);
  write_facts(inner, facts);
  inner.end();
  object.end();
  return out;
}

}  // namespace toolway::gateway::calls
