#include <cstdlib>

#include "cli/environment.h"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

int main(int argc, char** argv) {
  return toolway::cli::run(argc, argv,
                           {.nats_url = variable("TOOLWAY_NATS_URL"),
                            .postgres_url = variable("TOOLWAY_POSTGRES_URL"),
                            .specs_token = variable("TOOLWAY_SPECS_TOKEN"),
                            .nats_server = variable("TOOLWAY_NATS_SERVER"),
                            .url = variable("TOOLWAY_URL"),
                            .user = variable("TOOLWAY_USER"),
                            .no_color = !variable("NO_COLOR").empty()});
}
