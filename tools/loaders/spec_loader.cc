#include "tools/loaders/spec_loader.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <thread>

#include "base/mutex.h"
#include "base/pause.h"
#include "base/try.h"
#include "tools/loaders/load_log.h"
#include "tools/loaders/merge_offers.h"

namespace toolway::tools::loaders {
namespace {

using Steady = std::chrono::steady_clock;

/// How long a file may still be written when the process starts.
constexpr std::chrono::milliseconds kSettling{600};

class ThreadedLoader final : public SpecLoader {
 public:
  ThreadedLoader(model::LiveRegistry& live, LoaderOptions options)
      : live_(live), options_(std::move(options)) {
    std::stable_sort(options_.sources.begin(), options_.sources.end(),
                     [](const auto& a, const auto& b) { return a->kind() < b->kind(); });
    states_.resize(options_.sources.size());
  }

  ~ThreadedLoader() override {
    for (auto& thread : threads_) thread.request_stop();
    threads_.clear();
  }

  Result<void> bring_up() {
    for (std::size_t i = 0; i < options_.sources.size(); ++i) {
      threads_.emplace_back([this, i](std::stop_token stop) { watch(i, stop); });
    }
    MutexLock lock(mutex_);
    const auto all = [this]() REQUIRES(mutex_) {
      return std::all_of(states_.begin(), states_.end(),
                         [](const auto& one) { return one.has_value(); });
    };
    looked_.wait_for(lock, options_.patience, all);
    looked_.wait(lock, [this]() REQUIRES(mutex_) { return files_looked_at(); });
    looked_.wait_for(lock, kSettling,
                     [this]() REQUIRES(mutex_) { return file_mistakes().empty(); });
    auto mistakes = file_mistakes();
    auto merged = merge();
    for (auto& mistake : merged.mistakes) {
      if (mistake.source == SourceKind::kFile) mistakes.push_back(mistake.mistake.text());
    }
    if (!mistakes.empty()) return refuse(mistakes);
    started_ = true;
    publish(std::move(merged));
    lock.unlock();
    check_pools();
    return {};
  }

 private:
  static tl::unexpected<Error> refuse(const std::vector<std::string>& mistakes) {
    std::string text = fmt::format("{} {} in specs:", mistakes.size(),
                                   mistakes.size() == 1 ? "mistake" : "mistakes");
    for (const auto& mistake : mistakes) text += "\n" + mistake;
    return fail(ErrorCode::kInvalidSpec, std::move(text));
  }

  void watch(std::size_t index, std::stop_token stop) {
    auto& source = *options_.sources[index];
    while (!stop.stop_requested()) {
      if (auto state = source.look(stop); state && !stop.stop_requested())
        deliver(index, *std::move(state));
      pause(source.pause(), stop);
    }
  }

  void deliver(std::size_t index, SourceState state) {
    {
      const MutexLock lock(mutex_);
      auto& known = states_[index];
      // Before the start, its result reports mistakes in files.
      if (started_ || options_.sources[index]->kind() != SourceKind::kFile) {
        log_.source(*options_.sources[index], state, known ? &*known : nullptr);
      }
      found_[place(options_.sources[index]->kind())] += state.found.size();
      known = std::move(state);
      looked_.notify_all();
      if (!started_) return;
      publish(merge());
    }
    check_pools();
  }

  static std::size_t place(SourceKind kind) { return static_cast<std::size_t>(kind); }

  bool files_looked_at() const REQUIRES(mutex_) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (options_.sources[i]->kind() == SourceKind::kFile && !states_[i]) return false;
    }
    return true;
  }

  std::vector<std::string> file_mistakes() const REQUIRES(mutex_) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (options_.sources[i]->kind() != SourceKind::kFile || !states_[i]) continue;
      for (const auto& mistake : states_[i]->mistakes) texts.push_back(mistake.text());
    }
    return texts;
  }

  MergedSpecs merge() REQUIRES(mutex_) {
    std::vector<SourcedPart> parts;
    std::vector<MergedMistake> mistakes;
    for (const auto kind : kSourceKinds) {
      std::vector<std::shared_ptr<const SpecPart>> of_kind;
      for (std::size_t i = 0; i < states_.size(); ++i) {
        if (!states_[i] || options_.sources[i]->kind() != kind) continue;
        of_kind.insert(of_kind.end(), states_[i]->parts.begin(), states_[i]->parts.end());
      }
      if (options_.overlays) {
        auto overlaid = options_.overlays->apply(of_kind, source_kind_name(kind));
        of_kind = std::move(overlaid.parts);
        for (auto& mistake : overlaid.mistakes) mistakes.push_back({kind, std::move(mistake)});
      }
      for (auto& part : of_kind) parts.push_back({kind, std::move(part)});
    }
    auto merged = merge_specs(parts, *options_.builtin, *live_.now());
    merged.mistakes.insert(merged.mistakes.begin(), mistakes.begin(), mistakes.end());
    return merged;
  }

  void publish(MergedSpecs merged) REQUIRES(mutex_) {
    publish_offers();
    live_.replace(merged.registry);
    for (const auto& mistake : log_.merged(merged)) ++found_[place(mistake.source)];
    log_.changes(merged.changes, *merged.registry);
    if (options_.on_load) options_.on_load(report(merged));
    found_ = {};
  }

  void publish_offers() REQUIRES(mutex_) {
    if (options_.offers == nullptr) return;
    std::vector<std::shared_ptr<const specs::Offers>> parts;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!states_[i] || options_.sources[i]->kind() != SourceKind::kFile) continue;
      for (const auto& part : states_[i]->parts)
        if (part->offers) parts.push_back(part->offers);
    }
    if (parts == offers_) return;
    offers_ = std::move(parts);
    auto merged = std::make_shared<const specs::Offers>(merge_offers(offers_));
    spdlog::info("specs: {} prompts and {} resources are offered now", merged->prompts.size(),
                 merged->resources.size());
    options_.offers->replace(std::move(merged));
  }

  LoadReport report(const MergedSpecs& merged) const REQUIRES(mutex_) {
    LoadReport report;
    report.changes = merged.changes;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      auto& of = report.kinds[place(options_.sources[i]->kind())];
      const bool up = states_[i] && states_[i]->away.empty() && states_[i]->mistakes.empty();
      of.up = up && (of.up || !of.configured);
      of.configured = true;
    }
    for (const auto kind : kSourceKinds) {
      auto& of = report.kinds[place(kind)];
      of.in_force = merged.in_force[place(kind)];
      of.mistakes = found_[place(kind)];
      of.up = of.up && std::none_of(merged.mistakes.begin(), merged.mistakes.end(),
                                    [kind](const auto& mistake) { return mistake.source == kind; });
    }
    return report;
  }

  /// Calls for a pool without a durable would be refused: says how to make it, once.
  void check_pools() {
    if (!options_.pool_exists) return;
    const MutexLock lock(pools_mutex_);
    const auto registry = live_.now();
    std::set<std::string, std::less<>> used;
    for (const auto* tool : registry->list()) {
      if (!used.contains(tool->spec().pool)) used.insert(tool->spec().pool);
    }
    std::erase_if(checked_, [&](const std::string& pool) { return !used.contains(pool); });
    for (const auto& pool : used) {
      if (checked_.contains(pool)) continue;
      const auto exists = options_.pool_exists(pool);
      if (!exists) continue;  // asked again after the next change
      checked_.insert(pool);
      if (*exists) continue;
      spdlog::error(
          "specs name pool '{0}', which is not set up: calls of its tools are refused until you run "
          "`toolway migrate --pool {0}`",
          pool);
    }
  }

  model::LiveRegistry& live_;
  LoaderOptions options_;
  Mutex mutex_;
  CondVar looked_;  // a source has been looked at
  std::vector<std::optional<SourceState>> states_ GUARDED_BY(mutex_);  // nothing: not looked at yet
  std::array<std::size_t, kSourceKinds.size()> found_
      GUARDED_BY(mutex_){};  // mistakes not reported yet
  std::vector<std::shared_ptr<const specs::Offers>> offers_ GUARDED_BY(mutex_);  // in force
  LoadLog log_ GUARDED_BY(mutex_);
  bool started_ GUARDED_BY(mutex_) = false;
  Mutex pools_mutex_;
  std::set<std::string> checked_ GUARDED_BY(pools_mutex_);
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace

Result<std::unique_ptr<SpecLoader>> SpecLoader::start(model::LiveRegistry& live,
                                                      LoaderOptions options) {
  auto loader = std::make_unique<ThreadedLoader>(live, std::move(options));
  RETURN_IF_ERROR(loader->bring_up());
  return loader;
}

}  // namespace toolway::tools::loaders
