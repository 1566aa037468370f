#pragma once

#include "gateway/admission/worker_roster.h"
#include "gateway/answers/written_answer.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

loop::Task<wire::HttpResult<wire::Response>> list_workers(admission::WorkerRoster& workers,
                                                          const answers::AnswerRoom& answers,
                                                          const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
