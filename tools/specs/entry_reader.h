#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/specs/fields.h"
#include "tools/specs/spec_document.h"

namespace toolway::tools::specs {

struct NamedAt {
  std::string name;  ///< `namespace.name`
  int line = 0;
  bool candidate = false;  ///< it has a `rollout`
};

/// Reads the entries of one document and checks each by itself. One thread.
class EntryReader {
 public:
  EntryReader(const ReaderOptions& options, Mistakes& mistakes)
      : options_(options), mistakes_(mistakes) {}

  /// Nothing: it has mistakes.
  std::optional<ReadSpec> read(const Located& entry, int line);
  /// Of all entries that say their name, those with mistakes among them.
  const std::vector<NamedAt>& names() const { return names_; }

 private:
  void read_names(Fields& fields, model::Spec& spec);
  std::optional<model::Kind> read_kind(Fields& fields);
  void read_native(Fields& fields, ReadSpec& read);
  /// `whole`: see Entry.
  void read_other(Fields& fields, model::Spec& spec, bool whole);

  const ReaderOptions& options_;
  Mistakes& mistakes_;
  std::vector<NamedAt> names_;
};

}  // namespace toolway::tools::specs
