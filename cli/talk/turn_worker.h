#pragma once

#include <functional>

#include "chat/turns/conversation_door.h"
#include "workers/worker.h"

/// How turns are put on a worker: what a chat process and the simulation have in common. Pure.
namespace toolway::cli::talk {

/// What a worker of turns needs, whatever its process is like.
workers::WorkerOptions turn_worker_options();

/// A call that has come, as its door knows it.
chat::turns::ConversationDoor::Turn turn_at_door(const v1::CallRequest& request,
                                                 workers::Doorkeeper::Place place,
                                                 std::function<void(bool)> answered);

}  // namespace toolway::cli::talk
