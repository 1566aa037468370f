#include "gateway/admission/worker_roster.h"

#include <algorithm>

#include "base/ids.h"
#include "proto/subjects.h"

namespace toolway::gateway::admission {

void Roster::heard(v1::WorkerAnnouncement said, MonotonicTime at, WallTime wall) {
  if (!proto::valid_worker_id(said.worker_id()) || !valid_name(said.pool())) return;
  if (by_id_.size() >= kMaxWorkers && !by_id_.contains(said.worker_id())) (void)list(at);
  if (by_id_.size() >= kMaxWorkers && !by_id_.contains(said.worker_id())) return;
  std::string id = said.worker_id();
  by_id_.insert_or_assign(
      std::move(id), std::make_shared<const HeardWorker>(HeardWorker{std::move(said), at, wall}));
}

std::vector<HeardWorkerPtr> Roster::list(MonotonicTime now, std::optional<std::string_view> pool) {
  std::erase_if(by_id_, [now](const auto& entry) { return now - entry.second->at > kMaxSilence; });
  std::vector<HeardWorkerPtr> there;
  for (const auto& [id, worker] : by_id_) {
    if (!pool || worker->said.pool() == *pool) there.push_back(worker);
  }
  return there;
}

void sort_by_pool(std::vector<HeardWorkerPtr>& workers) {
  std::stable_sort(workers.begin(), workers.end(),
                   [](const HeardWorkerPtr& a, const HeardWorkerPtr& b) {
                     return a->said.pool() < b->said.pool();
                   });
}

void WorkerRoster::listen() {
  if (subscription_) return;
  auto handler = [this, io_post = io_post_](bus::Request request) {
    v1::WorkerAnnouncement said;
    if (!said.ParseFromString(request.payload)) return;
    io_post->run([this, said = std::move(said)]() mutable { heard(std::move(said)); });
  };
  auto serving = bus_.serve(std::string(proto::kWorkersFilter), "", std::move(handler));
  if (serving) subscription_ = std::move(*serving);
}

}  // namespace toolway::gateway::admission
