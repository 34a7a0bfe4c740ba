#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "conformance/simt_checks.hpp"

namespace msda {
namespace {

using Uses = std::vector<Use>;

std::map<std::string, ParameterValue> items(std::int64_t chunks) {
  return {{"blocks", std::int64_t{1}}, {"chunks", chunks}};
}

const std::vector<Case>& backward_cases() { return awkward_cases("backward"); }

}  // namespace

std::vector<std::vector<Use>> backward_compositions() {
  return {
      {{"l2-red", {}}},
      {{"native-sums", {}}},
      {{"fixed-sums", {}}},
      {{"float32-sums", {{"clear", std::string("converter")}}}},
      {{"half2-dots", {}}, {"native-sums", {}}},
      {{"lane-reds", {{"scalar", true}}}},
      {{"lane-reds", {}}, {"native-sums", {}}},
      {{"row-lanes", {{"threads", std::int64_t{64}}, {"sides", std::int64_t{1}}}}},
      {{"row-lanes", {{"bytes", std::int64_t{4}}}}, {"fixed-sums", {}}},
      {{"shared-fixed", {}}},
      {{"shared-fixed", {{"budget", std::int64_t{1}}}}, {"persistent", items(2)}},
      {{"shared-fixed", {}}, {"persistent", items(3)}, {"native-sums", {}}},
      {{"shared-fixed", {}}, {"persistent", items(2)}, {"fixed-sums", {}}},
      {{"l2-red", {}}, {"spatial-order", {}}, {"work-stealing", {}}},
      {{"half2-dots", {}}, {"native-sums", {{"products", std::string("pairs")}}}},
      {{"row-lanes", {{"threads", std::int64_t{64}}, {"levels", std::string("apart")}}}},
      {{"row-lanes", {{"levels", std::string("apart")}, {"points", std::int64_t{1}}}},
       {"shared-fixed", {}},
       {"persistent", items(2)}},
      {{"row-lanes", {{"points", std::int64_t{2}}}},
       {"shared-fixed", {}},
       {"work-redistribution", {{"ends", std::string("warp")}}}},
      {{"shared-values", {{"budget", std::int64_t{1}}}}, {"persistent", items(2)}},
      {{"shared-values", {}}, {"shared-fixed", {}}, {"native-sums", {}}, {"persistent", items(3)}},
      {{"shared-values", {}},
       {"row-lanes", {{"sides", std::int64_t{1}}, {"bytes", std::int64_t{8}}}},
       {"work-redistribution", {}}},
      {{"tile-sums", {{"budget", std::int64_t{1}}, {"points", std::int64_t{1}}}}},
      {{"tile-sums", {}}, {"half2-dots", {}}},
  };
}

std::vector<SimtCheck> backward_checks() {
  constexpr std::size_t kHostile = 12;
  std::vector<SimtCheck> checks;
  for (const Uses& uses : backward_compositions()) {
    const std::size_t n = checks.size();
    const std::size_t problems = backward_cases().size();
    const Composition composition(shipped_plugins(), uses);
    checks.push_back({"backward",
                      check_name(n, composition),
                      composition,
                      fmt::format("simt:{}:races", n),
                      backward_cases,
                      {n % problems, (n + 5) % problems, kHostile + n % 2}});
  }
  return checks;
}

}  // namespace msda
