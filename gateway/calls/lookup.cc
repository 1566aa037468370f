#include "gateway/calls/lookup.h"

#include "base/try.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {

loop::Task<Result<v1::LookupAnswer>> look_up_call(loop::AsyncBus& bus, std::string call_id) {
  v1::LookupRequest question;
  question.set_call_id(std::move(call_id));
  CO_ASSIGN_OR_RETURN(auto text, co_await bus.request(std::string(proto::kLookupSubject),
                                                      question.SerializeAsString()));
  v1::LookupAnswer answer;
  if (!answer.ParseFromString(text)) {
    co_return fail(ErrorCode::kInternal, "a collector's answer to `lookup` cannot be read");
  }
  co_return answer;
}

}  // namespace toolway::gateway::calls
