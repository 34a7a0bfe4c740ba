#include "conformance/head_groups.hpp"

#include "conformance/conformance.hpp"
#include "problem/validate.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

using Number = std::int64_t;

Use interleaved(Number rows) {
  return {"corner-pair", {{"threads", Number{64}}, {"interleaved", rows}}};
}
Use planes(Number heads, const char* copy) {
  return {"smem-levels", {{"heads", heads}, {"copy", std::string(copy)}}};
}
Use planes_in_global_memory(Number heads) { return {"head-planes", {{"heads", heads}}}; }
/// No room for the largest level.
Use some_levels(Number heads) {
  return {"smem-levels", {{"heads", heads}, {"budget", Number{4}}, {"copy", std::string("bulk")}}};
}
/// Read in global memory until they have come.
Use later(Use levels) {
  levels.parameters["meanwhile"] = std::string("global");
  return levels;
}
Use cluster(Number blocks, Number heads) {
  return {"distributed-smem", {{"cluster", blocks}, {"heads", heads}}};
}
Use padded(Number heads) { return {"smem-levels", {{"heads", heads}, {"padding", Number{2}}}}; }
/// To 128 bytes for values of 16 bits.
Use padded_to_lines() {
  return {"smem-levels", {{"padding", Number{32}}, {"copy", std::string("bulk")}}};
}

const Use kWide{"vector-loads", {{"threads", Number{64}}}};
/// A tile has all queries of an image.
const Use kBroad{"vector-loads", {{"threads", Number{256}}}};
const Use kHalves{"channel-split", {{"channels", Number{16}}, {"threads", Number{64}}}};
/// Too few for a tensor copy: boxes are copied in words.
const Use kQuarters{"channel-split", {{"channels", Number{4}}, {"threads", Number{64}}}};
const Use kPersistent{"persistent", {{"blocks", Number{1}}, {"chunks", Number{2}}}};
const Use kPacked{"shared-metadata", {{"packed", true}}};
const Use kCompact{"shared-metadata", {{"compact", true}}};
const Use kMixed{"mixed-precision", {}};
const Use kStrips{"strip-order", {{"rows", Number{5}}, {"columns", Number{8}}}};
const Use kBehindValues{"prefetch-query", {{"behind-values", true}}};
const Use kAlternate{"loop-unrolling", {{"points", Number{4}}, {"alternate", true}}};
/// Of the problems' three levels, which are three batches of four points, the last has none beside
/// it.
Use near_first(Number points) {
  return {"loop-unrolling", {{"points", points}, {"alternate", true}, {"near-first", true}}};
}

AwkwardProblem problem_of(Number heads, Types types, Distribution distribution) {
  AwkwardProblem made;
  Problem& problem = made.problem;
  problem.batch = 2;
  problem.queries = 43;
  problem.heads = heads;
  problem.channels = 32;
  problem.points = 4;
  problem.levels = {{12, 17}, {6, 9}, {3, 5}};
  problem.types = types;
  problem.name = describe(problem);
  made.generation.distribution = distribution;
  made.generation.seed = static_cast<std::uint64_t>(heads);
  return made;
}

/// With a level of more pixels than one box of TMA has.
AwkwardProblem with_several_boxes(AwkwardProblem made) {
  made.problem.levels.front() = {16, 17};
  made.problem = named(made.problem);
  return made;
}

std::vector<Composition> compositions_of(const std::vector<std::vector<Use>>& all) {
  std::vector<Composition> compositions;
  compositions.reserve(all.size());
  for (const std::vector<Use>& uses : all) compositions.emplace_back(shipped_plugins(), uses);
  return compositions;
}

}  // namespace

std::vector<Composition> head_groups() {
  return compositions_of({
      {interleaved(2)},
      {interleaved(4), planes(1, "words")},
      {interleaved(1), planes(2, "bulk"), kPersistent},
      {interleaved(2), planes(2, "async"), kPersistent},
      {interleaved(2), some_levels(2), kPersistent, kPacked, kAlternate, {"prefetch-query", {}}},
      {interleaved(4), planes(4, "bulk"), {"work-redistribution", {{"turn", Number{2}}}}},
      {interleaved(2), some_levels(4), {"work-stealing", {}}},
      {interleaved(2), planes_in_global_memory(2), kPersistent, kPacked, kAlternate},
      {kWide, planes_in_global_memory(4), {"work-redistribution", {{"waves", Number{1}}}}},
      {kWide, planes(8, "bulk"), kPersistent},
      {kWide, padded(2), kPersistent},
      {kWide, padded_to_lines(), kPersistent},
      {kHalves, planes(2, "bulk"), kPersistent},
      {kWide, planes(2, "bulk"), {"channel-blocked", {{"block", Number{8}}}}},
      {interleaved(2), planes(4, "bulk"), {"zero-border", {}}},
      {interleaved(4), planes(4, "bulk"), {"int8-value", {}}, kPersistent},
      {interleaved(2), planes(2, "bulk"), {"int8-value", {{"blend", std::string("columns")}}}},
      {kWide, planes(2, "words"), {"fp8-value", {}}, {"spatial-order", {}}},
      {kWide, planes(2, "bulk"), {"float24-value", {}}, kPersistent, kPacked},
      {interleaved(2), planes(2, "async"), {"float24-value", {}}, {"zero-border", {}}},
      {kHalves, padded(2), {"float24-value", {}}, {"channel-blocked", {{"block", Number{8}}}}},
      {kWide, {"texture-fetch", {}}, planes(2, "bulk"), {"float24-value", {}}, kPersistent},
      {interleaved(2), {"texture-fetch", {}}, some_levels(2), {"zero-border", {}}, kAlternate},
      {kHalves, {"texture-fetch", {}}, {"channel-blocked", {{"block", Number{8}}}}, kPacked},
      {interleaved(2), {"texture-fetch", {}}, {"int8-value", {{"blend", std::string("columns")}}}},
      {kWide, cluster(2, 2), kPersistent},
      {interleaved(2), cluster(4, 4)},
      {kHalves, cluster(4, 2), kPersistent},
      {interleaved(2), planes(2, "bulk"), {"warp-roles", {}}, kPacked, kPersistent},
      {kWide, some_levels(2), {"tma-boxes", {}}, {"warp-roles", {}}, kPersistent},
      {{"tma-boxes", {}}, {"channel-blocked", {{"block", Number{32}}}}},
      {kQuarters, {"tma-boxes", {}}, {"warp-roles", {}}},
      {interleaved(2), some_levels(2), {"memcpy-async", {}}},
      {{"register-blocking", {}}, some_levels(2), {"memcpy-async", {}}, kPersistent},
      {interleaved(2), planes(2, "bulk"), {"warp-shuffle", {}}, kAlternate},
      {interleaved(2), later(some_levels(2)), kPersistent, kPacked, kAlternate},
      {interleaved(2), some_levels(2), kPersistent, kPacked, near_first(4), kBehindValues},
      {kWide, {"texture-fetch", {}}, some_levels(2), kPersistent, near_first(2)},
      {kWide, {"stream-levels", {{"budget", Number{4}}}}, kPersistent, near_first(2)},
      {kWide, later(planes(2, "bulk")), {"work-redistribution", {}}, {"prefetch-query", {}}},
      {kWide, planes(2, "bulk"), kPersistent, kPacked, kAlternate, kBehindValues},
      {kWide,
       some_levels(2),
       kPersistent,
       near_first(2),
       {"mixed-precision", {{"sums", std::string("pairs")}}}},
      {kWide, kPersistent, {"shared-metadata", {}}, kBehindValues},
      {kWide, planes(2, "bulk"), kPersistent, kCompact, kMixed, kStrips, {"prefetch-query", {}}},
      {kWide, kCompact, kMixed, kAlternate, {"zero-border", {}}},
      {kWide, {"warp-roles", {}}, kCompact, kMixed, {"work-redistribution", {}}, kStrips},
      {interleaved(2), planes(2, "bulk"), {"warp-roles", {}}, kPacked, kPersistent, kBehindValues},
      {kWide, later(planes(2, "bulk"))},
      {kWide, later(some_levels(2)), {"memcpy-async", {}}, kPersistent},
      {interleaved(2), later(planes(2, "bulk")), {"warp-roles", {}}, kPacked, kPersistent},
      // The next plane is wanted before the copies of this one have come.
      {kBroad, later(planes(2, "bulk")), kPersistent},
  });
}

std::vector<Composition> launches_in_a_row() {
  const Use pairs{"mixed-precision", {{"sums", std::string("pairs")}}};
  const auto learned = [](Number waves, Number turn) {
    return Use{"work-redistribution", {{"learned", Number{4}}, {"waves", waves}, {"turn", turn}}};
  };
  return compositions_of({
      {kWide, learned(1, 0)},
      {kWide, learned(2, 1), planes(2, "bulk"), kMixed},
      {interleaved(2), learned(2, 0), some_levels(2), kPacked, near_first(4), kBehindValues, pairs},
      {{"texture-fetch", {}}, learned(1, 0), near_first(2), pairs, {"shared-metadata", {}}},
      {kWide, learned(1, 0), {"async-pipeline", {}}, {"shared-metadata", {}}},
      {kWide, learned(1, 0), {"stream-levels", {{"budget", Number{4}}}}, kStrips},
      {kWide, learned(1, 0), {"warp-roles", {}}},
      {kWide, {"work-stealing", {}}, {"int8-value", {}}},
  });
}

std::vector<AwkwardProblem> head_problems() {
  const Types mixed{DType::kFloat16, DType::kFloat32, DType::kBFloat16, DType::kFloat32};
  return {with_several_boxes(problem_of(8, Types::all(DType::kFloat16), Distribution::kLocal)),
          problem_of(3, Types::all(DType::kBFloat16), Distribution::kOutside),
          problem_of(2, Types::all(DType::kFloat32), Distribution::kUniform),
          problem_of(5, Types::all(DType::kFloat16), Distribution::kBorder),
          problem_of(6, mixed, Distribution::kUniform),
          problem_of(1, Types::all(DType::kFloat16), Distribution::kUniform)};
}

}  // namespace msda
