#include "gateway/api_docs/api_page.h"

#include <fmt/format.h>
#include "base/markup.h"

#include "base/base64.h"
#include "base/sha256.h"
#include "gateway/api_docs/html.h"
#include "gateway/api_docs/operation_html.h"
#include "gateway/api_docs/schema_html.h"
#include "tools/specs/trees.h"

namespace toolway::gateway::api_docs {
namespace {

std::string text_of(const OrderedJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string bytes_of_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return bytes;
}

/// The frame of both pages.
ApiPage page_of(std::string_view title, std::string_view style, std::string_view body) {
  return {.html = fmt::format("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                              "<meta name=\"viewport\" content=\"width=device-width, "
                              "initial-scale=1\"><title>{}</title><style>{}</style></head>\n"
                              "<body>{}</body></html>\n",
                              escape_markup(title), style, body),
          .policy = fmt::format("default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; "
                                "form-action 'none'; frame-ancestors 'none'",
                                base64(bytes_of_hex(sha256_hex(style))))};
}

bool has_tag(const OrderedJson& operation, const std::string& tag) {
  for (const auto& one : operation.value("tags", OrderedJson::array()))
    if (one == tag) return true;
  return false;
}

/// Calls `seen(path, verb, item, operation)` for those of a tag.
template <typename Seen>
void each_operation(const OrderedJson& document, const std::string& tag, Seen seen) {
  for (const auto& [path, item] : document["paths"].items())
    for (const auto& [verb, operation] : item.items())
      if (operation.is_object() && has_tag(operation, tag)) seen(path, verb, item, operation);
}

std::string contents_html(const OrderedJson& document) {
  std::string out = "<nav><details open><summary>Contents</summary>";
  for (const auto& tag : document["tags"]) {
    const auto name = text_of(tag, "name");
    out += fmt::format("<h2><a href=\"#tag-{0}\">{0}</a></h2><ul>", escape_markup(name));
    each_operation(document, name,
                   [&](const auto& path, const auto& verb, const auto&, const auto& operation) {
                     out +=
                         fmt::format("<li><a href=\"#{}\"><b class=\"{}\">{}</b> {}</a></li>",
                                     escape_markup(text_of(operation, "operationId")),
                                     escape_markup(verb), escape_markup(verb), escape_markup(path));
                   });
    out += "</ul>";
  }
  return out + "<h2><a href=\"#schemas\">schemas</a></h2></details></nav>";
}

std::string schemas_html(const OrderedJson& document) {
  std::string out = "<section id=\"schemas\"><h2>Schemas</h2>";
  for (const auto& [name, schema] : document["components"]["schemas"].items()) {
    out += fmt::format("<article id=\"schema-{0}\"><h3>{0}</h3>", escape_markup(name));
    if (const auto says = text_of(schema, "description"); !says.empty())
      out += "<p>" + prose(says) + "</p>";
    auto members = members_html(schema);
    if (members.empty()) members = "<p>" + type_html(schema) + "</p>";
    out += members;
    if (const auto* example = example_of(schema))
      out += "<details><summary>Example</summary>" + example_html(*example) + "</details>";
    out += "</article>";
  }
  return out + "</section>";
}

}  // namespace

Result<ApiPage> make_api_page(std::string_view document_text, std::string_view style) {
  Mistakes mistakes;
  const auto tree = tools::specs::yaml_tree(document_text, mistakes);
  if (!tree || mistakes.count() > 0)
    return fail(ErrorCode::kInternal, "the OpenAPI document of this program cannot be read");
  const OrderedJson document = tools::specs::to_json(*tree);
  const auto& info = document["info"];
  const auto title = text_of(info, "title") + " HTTP API";
  std::string body = contents_html(document);
  body += fmt::format(
      "<main><header><h1>{}</h1><p>{}</p><p>Version {}, for programs: "
      "<a href=\"openapi.yaml\">openapi.yaml</a>, OpenAPI {}.</p></header>",
      escape_markup(title), prose(text_of(info, "description")),
      escape_markup(text_of(info, "version")), escape_markup(text_of(document, "openapi")));
  for (const auto& tag : document["tags"]) {
    const auto name = text_of(tag, "name");
    body += fmt::format("<section id=\"tag-{0}\"><h2>{0}</h2><p>{1}</p>", escape_markup(name),
                        prose(text_of(tag, "description")));
    each_operation(
        document, name,
        [&](const auto& path, const auto& verb, const auto& item, const auto& operation) {
          body += operation_html(document, {path, verb, item, operation});
        });
    body += "</section>";
  }
  body += schemas_html(document) + "</main>";
  return page_of(title, style, body);
}

ApiPage make_front_page(std::string_view version, std::string_view style) {
  return page_of(
      "Toolway", style,
      fmt::format(
          "<main class=\"front\"><h1>Toolway</h1><p>This gateway executes the tool calls of "
          "LLM agents over HTTP. It is version {}.</p>"
          "<ul><li><a href=\"docs\">The API</a>, to read</li>"
          "<li><a href=\"openapi.yaml\">The API</a>, for programs (OpenAPI)</li>"
          "<li><a href=\"readyz\">Whether this gateway is ready</a></li></ul>"
          "<p>From a terminal: <code>toolway --help</code>.</p></main>",
          escape_markup(version)));
}

}  // namespace toolway::gateway::api_docs
