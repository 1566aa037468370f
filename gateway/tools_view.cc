#include "gateway/tools_view.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cstdlib>

#include "gateway/json_text.h"

namespace toolway::gateway {
namespace {

constexpr std::size_t kMostRendered = 256;

std::string sha256(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), hash.data(), &size, EVP_sha256(), nullptr) != 1) {
    std::abort();  // only without memory
  }
  std::string out = "sha256:";
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", hash[i]);
  return out;
}

std::shared_ptr<const ToolList> render(const std::vector<const tools::RegisteredTool*>& tools) {
  auto list = std::make_shared<ToolList>();
  std::string digests;
  for (const auto* tool : tools) {
    list->json.push_back(list->json.empty() ? '[' : ',');
    list->json += to_text(tools::to_toolway_json(tool->spec()));
    digests += tool->spec().qualified_name() + "\n" + tool->digest + "\n";
  }
  if (list->json.empty()) list->json.push_back('[');
  list->json.push_back(']');
  list->digest = sha256(digests);
  return list;
}

}  // namespace

void ToolsView::look() {
  auto now = live_.now();
  if (now == registry_) return;
  registry_ = std::move(now);
  rendered_.clear();
}

std::shared_ptr<const ToolList> ToolsView::of(std::span<const std::string> namespaces) {
  look();
  std::string key;
  for (const auto& ns : namespaces) key += ns + "\n";
  if (const auto found = rendered_.find(key); found != rendered_.end()) return found->second;
  if (rendered_.size() >= kMostRendered) rendered_.clear();
  return rendered_[key] = render(registry_->list(namespaces));
}

std::shared_ptr<const ToolList> ToolsView::all() {
  look();
  auto& list = rendered_["*"];  // no namespace has this name
  if (!list) list = render(registry_->list());
  return list;
}

std::string tools_json(const ToolList& list) {
  std::string out;
  ObjectText object(out);
  object.json("tools", list.json);
  object.text("digest", list.digest);
  object.end();
  return out;
}

}  // namespace toolway::gateway
