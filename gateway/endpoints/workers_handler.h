#pragma once

#include "gateway/admission/worker_roster.h"
#include "gateway/answers/written_answer.h"
#include "gateway/wire/asked.h"

namespace toolway::gateway {

Task<Answer<Response>> list_workers(WorkerRoster& workers, const AnswerRoom& answers,
                                    const Asked& asked);

}  // namespace toolway::gateway
