#include "gateway/calls/lookup.h"

#include "base/try.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {

loop::Task<Result<v1::LookupAnswer>> look_up_call(loop::AsyncBus& bus, std::string call_id) {
  CO_ASSIGN_OR_RETURN(auto text, co_await bus.request(std::string(proto::kLookupSubject),
                                                      proto::lookup_question(std::move(call_id))));
  co_return proto::decode_lookup_answer(text);
}

}  // namespace toolway::gateway::calls
