#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tools/model/spec.h"
#include "tools/specs/reader.h"

namespace toolway::tools::loaders {

/// Where specs come from, in order of precedence: of two specs with one name the
/// one of the earlier kind wins, and all of them win over the built-in tools.
enum class SourceKind { kFile, kHttp, kDatabase, kToolset };
inline constexpr std::array kSourceKinds{SourceKind::kFile, SourceKind::kHttp,
                                         SourceKind::kDatabase, SourceKind::kToolset};
/// `file`, `http`, `database`, `toolset`: in logs and as the label of metrics.
std::string_view source_kind_name(SourceKind kind);

/// A spec as a source offers it.
struct OfferedSpec {
  std::shared_ptr<const model::Spec> spec;
  std::string digest;    ///< of `spec`
  std::string origin;    ///< where it is: a file, a URL, a row
  int line = 0;          ///< in `origin`
  bool enabled = true;   ///< not enabled: its name is not offered at all
  unsigned rollout = 0;  ///< percent of sessions, of a candidate; 0: it is the stable version
  std::shared_ptr<const specs::Located> entry{};  ///< see ReadSpec
  /// A field that an overlay says, and where.
  struct Overlaid {
    std::string field;  ///< JSON Pointer
    std::string origin;
    int line = 0;
  };
  std::vector<Overlaid> overlaid{};

  std::string where() const;
};

/// What fails on its own: one file, an endpoint's answer, one row. This is its
/// last good version; immutable.
struct SpecPart {
  std::string origin;
  std::vector<OfferedSpec> specs;
  std::shared_ptr<const specs::SpecOverlay>
      overlay{};  ///< of a document that changes the specs of others
  std::shared_ptr<const specs::Offers> offers{};  ///< prompts and resources; null: none
};

/// What a source knows after a look.
struct SourceState {
  /// The last good version of each part; an earlier part wins over a later one.
  std::vector<std::shared_ptr<const SpecPart>> parts;
  /// What keeps newer versions of parts from being in force, right now.
  std::vector<Mistake> mistakes;
  /// Those of them that this look has found, to report.
  std::vector<Mistake> found;
  /// Why the source cannot be asked at present; empty: it answers.
  std::string away;
};

/// Turns text into specs; its mistakes name `origin`.
using ReadSpecs =
    std::function<specs::SpecDocument(std::string_view text, std::string_view origin)>;

/// Somewhere specs come from. Looked at again and again, by one thread at a time.
class SpecSource {
 public:
  virtual ~SpecSource() = default;
  virtual SourceKind kind() const = 0;
  /// For people: a path, a URL without what may be secret, `database`.
  virtual const std::string& name() const = 0;
  /// Looks once; nothing when all is as it was. May block for some seconds, less
  /// when `stop` is requested. The first look always gives a state.
  virtual std::optional<SourceState> look(std::stop_token stop) = 0;
  /// How long to wait before the next look.
  virtual std::chrono::milliseconds pause() const = 0;
};

/// A part from what was read without a mistake.
std::shared_ptr<const SpecPart> make_part(
    std::string origin, std::vector<specs::ReadSpec> specs,
    std::shared_ptr<const specs::SpecOverlay> overlay = nullptr,
    std::shared_ptr<const specs::Offers> offers = nullptr);

/// What a spec source may hold at most.
inline constexpr std::size_t kMaxSourceBytes = 16 * 1024 * 1024;

}  // namespace toolway::tools::loaders
