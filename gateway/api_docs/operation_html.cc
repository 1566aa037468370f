#include "gateway/api_docs/operation_html.h"

#include <fmt/format.h>
#include "base/markup.h"
#include "base/shell_text.h"

#include <cctype>
#include <vector>

#include "gateway/api_docs/html.h"
#include "gateway/api_docs/schema_html.h"

namespace toolway::gateway::api_docs {
namespace {

std::string text_of(const OrderedJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// What a `$ref` stands for.
const OrderedJson& resolved(const OrderedJson& document, const OrderedJson& node) {
  if (!node.contains("$ref")) return node;
  return document.at(OrderedJson::json_pointer(node["$ref"].get<std::string>().substr(1)));
}

std::vector<const OrderedJson*> parameters_of(const OrderedJson& document, const Operation& it) {
  std::vector<const OrderedJson*> all;
  for (const auto* place : {&it.item, &it.operation}) {
    const auto found = place->find("parameters");
    if (found == place->end()) continue;
    for (const auto& one : *found) all.push_back(&resolved(document, one));
  }
  return all;
}

std::string parameters_html(const std::vector<const OrderedJson*>& parameters) {
  if (parameters.empty()) return {};
  std::string out = "<h4>Parameters</h4><dl>";
  for (const auto* one : parameters) {
    const auto& schema = (*one)["schema"];
    OrderedJson described = schema;
    if (one->contains("description")) described["description"] = (*one)["description"];
    OrderedJson object = {{"properties", {{text_of(*one, "name"), described}}}};
    auto row = members_html(object);
    row = row.substr(4, row.size() - 9);  // without its <dl>
    const auto end = row.find("</dt>");
    out +=
        row.insert(end, fmt::format(" <span>in the {}</span>", escape_markup(text_of(*one, "in"))));
  }
  return out + "</dl>";
}

const OrderedJson* body_example(const OrderedJson& media) {
  if (const auto* example = example_of(media)) return example;
  return media.contains("schema") ? example_of(media["schema"]) : nullptr;
}

std::string media_html(const OrderedJson& document, const std::string& type,
                       const OrderedJson& media) {
  const auto& schema = media["schema"];
  std::string out =
      fmt::format("<p><code>{}</code>: {}</p>", escape_markup(type), type_html(schema)) +
      members_html(schema);
  const auto* example = body_example(media);
  if (example == nullptr) example = example_of(resolved(document, schema));
  if (example != nullptr)
    out += "<details><summary>Example</summary>" + example_html(*example) + "</details>";
  return out;
}

std::string content_html(const OrderedJson& document, const OrderedJson& holder) {
  std::string out;
  const auto content = holder.value("content", OrderedJson::object());
  for (const auto& [type, media] : content.items()) out += media_html(document, type, media);
  return out;
}

std::string headers_html(const OrderedJson& document, const OrderedJson& response) {
  std::string out;
  const auto headers = response.value("headers", OrderedJson::object());
  for (const auto& [name, node] : headers.items()) {
    const auto& header = resolved(document, node);
    out += fmt::format("<div><dt><code>{}</code></dt><dd><p>{}</p></dd></div>", escape_markup(name),
                       prose(text_of(header, "description")));
  }
  if (out.empty()) return out;
  return "<details><summary>Headers</summary><dl>" + out + "</dl></details>";
}

std::string responses_html(const OrderedJson& document, const OrderedJson& operation) {
  std::string out = "<h4>Answers</h4>";
  for (const auto& [status, node] : operation["responses"].items()) {
    const auto& response = resolved(document, node);
    const bool refusal = status == "default";
    out += fmt::format("<div class=\"answer\"><p><b>{}</b> {}</p>", refusal ? "else" : status,
                       prose(text_of(response, "description")));
    out += headers_html(document, response);
    if (refusal)
      out += "<p><a href=\"#schema-Problem\">Problem</a></p>";
    else
      out += content_html(document, response);
    out += "</div>";
  }
  return out;
}

std::string curl_html(const OrderedJson& document, const Operation& it,
                      const std::vector<const OrderedJson*>& parameters) {
  std::string path = it.path;
  for (const auto* one : parameters) {
    const auto hole = "{" + text_of(*one, "name") + "}";
    const auto at = path.find(hole);
    if (at == std::string::npos) continue;
    if (const auto example = text_of(*one, "example"); !example.empty())
      path.replace(at, hole.size(), example);
  }
  std::string text = "curl ";
  if (it.verb != "get") {
    std::string method = it.verb;
    for (char& c : method) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    text += "-X " + method + " ";
  }
  text += "\"$TOOLWAY_URL" + path + "\"";
  if (it.operation.contains("requestBody")) {
    const auto& body = resolved(document, it.operation["requestBody"]);
    const auto& media = body["content"]["application/json"];
    const auto* example = body_example(media);
    text += " \\\n  -H 'Content-Type: application/json' \\\n  -d " +
            shell_quoted(example != nullptr ? example->dump() : "{}");
  }
  return "<pre>" + escape_markup(text) + "</pre>";
}

}  // namespace

std::string operation_html(const OrderedJson& document, const Operation& it) {
  const auto& operation = it.operation;
  const auto parameters = parameters_of(document, it);
  std::string out = fmt::format(
      "<article id=\"{0}\"><h3><b class=\"{1}\">{1}</b> <code>{2}</code></h3><p>{3}</p>",
      escape_markup(text_of(operation, "operationId")), escape_markup(it.verb),
      escape_markup(it.path), prose(text_of(operation, "summary")));
  if (const auto more = text_of(operation, "description"); !more.empty())
    out += "<p>" + prose(more) + "</p>";
  out += curl_html(document, it, parameters);
  out += parameters_html(parameters);
  if (operation.contains("requestBody"))
    out += "<h4>Body</h4>" + content_html(document, resolved(document, operation["requestBody"]));
  out += responses_html(document, operation);
  return out + "</article>";
}

}  // namespace toolway::gateway::api_docs
