// A tool whose service is not there (examples/mocks), answered by a script.

#include "cli/client/reporting.h"
#include "cli/demo/packs.h"

namespace toolway::cli::demo {
namespace {

Result<void> prepare(DemoStage& stage) {
  const auto examples = stage.packs + "/../examples/mocks";
  stage.stack.specs.push_back(examples + "/billing.yaml");
  stage.stack.mocks.files.push_back(examples + "/answers.yaml");
  return {};
}

void show(Tour& tour) {
  tour.heading("A mocked tool (examples/mocks): a script answers, and nothing is run");
  const auto charged = tour.call("billing.charge_card", {{"customer", "ann"}, {"cents", 1250}});
  const auto result = charged.value("result", OrderedJson());
  tour.check(result.is_object() && to_text(result.value("charged", OrderedJson())) ==
                                       R"({"cents":1250,"currency":"EUR"})",
             "the result is made of the call's arguments");
  const auto again = tour.call("billing.charge_card", {{"customer", "ann"}, {"cents", 250000}});
  tour.check(client::cell(again, "outcome") == "succeeded" && again.value("attempt", 0) == 2,
             "a scripted failure was tried again, and the second attempt succeeded");
  const auto declined = tour.call("billing.charge_card", {{"customer", "declined"}, {"cents", 5}});
  tour.remember_as_failed(declined);
  tour.check(client::cell(declined.value("error", OrderedJson()), "code") == "card_declined",
             "an error in the script's words");
}

}  // namespace

DemoPack mocks_in_demo() { return {"billing", &prepare, &show}; }

}  // namespace toolway::cli::demo
