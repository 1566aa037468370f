#include "gateway/worker_roster.h"

#include <algorithm>
#include <tuple>

#include "base/ids.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

class HeardLetter final : public Letter {
 public:
  HeardLetter(WorkerRoster& roster, v1::WorkerAnnouncement said)
      : roster_(roster), said_(std::move(said)) {}
  void open() override { roster_.heard(std::move(said_)); }

 private:
  WorkerRoster& roster_;
  v1::WorkerAnnouncement said_;
};

}  // namespace

void Roster::heard(v1::WorkerAnnouncement said, MonotonicTime at, WallTime wall) {
  if (!proto::valid_worker_id(said.worker_id()) || !valid_name(said.pool())) return;
  if (by_id_.size() >= kMost && !by_id_.contains(said.worker_id())) (void)list(at);
  if (by_id_.size() >= kMost && !by_id_.contains(said.worker_id())) return;
  std::string id = said.worker_id();
  by_id_.insert_or_assign(std::move(id), HeardWorker{std::move(said), at, wall});
}

std::vector<HeardWorker> Roster::list(MonotonicTime now) {
  std::erase_if(by_id_, [now](const auto& entry) { return now - entry.second.at > kSilence; });
  std::vector<HeardWorker> there;
  there.reserve(by_id_.size());
  for (const auto& [id, worker] : by_id_) there.push_back(worker);
  std::sort(there.begin(), there.end(), [](const HeardWorker& a, const HeardWorker& b) {
    return std::tie(a.said.pool(), a.said.worker_id()) < std::tie(b.said.pool(), b.said.worker_id());
  });
  return there;
}

void WorkerRoster::listen() {
  if (subscription_) return;
  auto handler = [this, inbox = inbox_](bus::Request request) {
    v1::WorkerAnnouncement said;
    if (!said.ParseFromString(request.payload)) return;
    inbox->post(std::make_shared<HeardLetter>(*this, std::move(said)));
  };
  auto serving = bus_.serve(std::string(proto::kWorkersFilter), "", std::move(handler));
  if (serving) subscription_ = std::move(*serving);
}

}  // namespace toolway::gateway
