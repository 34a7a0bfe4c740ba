// The page of what exported packages' checks have measured.
#include "runner/publish/checks_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

#include "files/temporary_directory.hpp"
#include "runner/publish/quotes.hpp"

namespace msda::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kDetr =
    R"({"schema": 1, "gpu": "NVIDIA H200", "driver": "580.1", "cuda": "13.0",
  "torch": "2.11.0", "transformers": "5.17.0", "commit": "1a2b3c4d", "date": "2026-01-31",
  "export": "msda export best --for deformable-detr --format torch", "asked": "--quick models",
  "checks": [
  {"check": "operator.autocast", "status": "ok", "said": "2.6e-03", "seconds": 0.1},
  {"check": "second.both_at_once", "status": "skipped", "why": "one GPU, or none", "said": null},
  {"check": "times.calls_of_the_table", "status": "ok", "said": {"calls": [{"problem": "ddetr-decoder-bf16-wide",
    "levels": "94x128 47x64", "types": ["bf16", "fp32"], "given": 4.5343, "error": 0.0039, "general": 1003.6}]}},
  {"check": "models.deformable_detr_in_fp16", "status": "failed", "why": "AssertionError: /home/me/op: 2e-03 exceeds\n1e-03",
   "said": {"images": [2, 3, 800, 1066], "gpu_before_ms": 31.658, "gpu_modules_ms": 9.29, "gpu_after_ms": 6.433,
    "gpu_of_the_export_ms": 0.5, "kernels": [{"kernel": "void gemm<1>", "ms": 1.25, "launches": 30.0}],
    "before_ms": 35.44, "after_ms": 18.61, "speedup": 1.9044, "low": 1.86, "high": 1.951,
    "attention_error": 7.5e-4, "attention_error_before": 5.3e-4,
    "end_to_end": {"logits": 7e-4, "pred_boxes": 6e-5}, "end_to_end_before": {"logits": 6.7e-4}}}]})";

/// That of RT-DETR's package: the same but for `changes`.
json of_rt_detr(const json& changes = json::object()) {
  json run = json::parse(kDetr);
  run["export"] = "msda export best --for rt-detr --format torch";
  run["checks"] = json::parse(R"([
    {"check": "models.deformable_detr_in_train_amp", "status": "ok", "said": {"images": [2, 3, 800, 1066],
      "gpu_before_ms": 84.5, "gpu_modules_ms": 28.0, "gpu_after_ms": 22.2, "gpu_of_the_export_ms": 1.5,
      "peak_mib_before": 7071.5, "peak_mib_after": 2415.2, "alive_mib_after": 181.0, "model_and_images_mib": 172.4,
      "gradients": 3.2e-2, "gradients_again": 1e-2}},
    {"check": "models.deformable_detr_in_fp16", "status": "ok", "said": {"gpu_before_ms": 31.7, "gpu_after_ms": 7.4}},
    {"check": "models.rt_detr_v2_in_fp32", "status": "ok", "said": {"attentions": 0, "attention_error": 0,
      "attention_error_before": 0, "end_to_end": {"logits": 5.6e-7}, "end_to_end_before": {"logits": 0}}},
    {"check": "training.losses_of_a_training", "status": "ok", "said": {"ours": 6.3e-6, "two_seeds": 0.32, "steps": 200}},
    {"check": "training.ten_sizes", "status": "ok", "said": {"sizes": [[608, 800], [800, 1333]], "gpu_before_ms": 170.4,
      "gpu_modules_ms": 47.6, "gpu_after_ms": 38.8, "gpu_of_the_export_ms": 2.0, "gpu_of_graphs_ms": 38.9,
      "wall_of_graphs_ms": 41.0, "wall_over_gpu": 1.054}}])");
  run.update(changes);
  return run;
}

class ChecksPage : public testing::Test {
 protected:
  json read(const json& second = of_rt_detr()) const {
    return read_checks({folder_.write("a.json", kDetr), folder_.write("b.json", second.dump())});
  }
  std::string refusal(const json& second) const {
    try {
      return read(second).dump() + " is taken";
    } catch (const UsageError& error) {
      return error.what();
    }
  }
  TemporaryDirectory folder_;
};

TEST_F(ChecksPage, IsMadeOfItsDataToTheByte) {
  EXPECT_EQ(checks_page(read()), R"(# Exports

NVIDIA H200, driver 580.1, CUDA 13.0, PyTorch 2.11.0, transformers 5.17.0, commit 1a2b3c4d, 2026-01-31. What packages that
[msda export](../export.md) wrote say of themselves on this GPU; [Models](../models.md) says how they are used.

- deformable detr in fp16: 6.43 ms of GPU time in place of 31.7, 4.92x
- deformable detr, training step in amp: 22.2 ms of GPU time in place of 84.5, 3.81x
- ten sizes: 38.8 ms of GPU time in place of 170, 4.39x

- `msda export best --for deformable-detr --format torch`, `python3 check.py --json FILE --quick models`: 2 ok, 1 skipped, 1 failed
  - `models.deformable_detr_in_fp16`: AssertionError: op: 2e-03 exceeds
- `msda export best --for rt-detr --format torch`, `python3 check.py --json FILE --quick models`: 5 ok, 0 skipped, 0 failed

GPU time is that of all kernels of a call, from PyTorch's profiler; models have random weights. *Alone* is
the model as it is, *attentions* inside `patched(norms=False)`, *and norms* inside `patched()`.
Wall times are medians of pairs that take turns, with the ratio's 95% interval. The peak of a step
has no optimizer. Errors are relative L2: of attentions against float64, the worst one; of outputs
against the model whose attentions are computed in float64. Calls of the operator are microseconds
in CUDA graphs, workspaces and clearing included, of uniform points.

## GPU time

| model | input | alone \[ms\] | attentions | and norms | weights channels last | of it kernels of the export |
| :--- | ---: | ---: | ---: | ---: | ---: | ---: |
| deformable detr in fp16 | 2x3x800x1066 | 31.7 | 9.29 | 6.43 | - | 0.50 |
| deformable detr, training step in amp | 2x3x800x1066 | 84.5 | 28 | 22.2 | - | 1.50 |
| ten sizes | 2 sizes | 170 | 47.6 | 38.8 | - | 2 |

As CUDA graphs, one for each size, ten sizes take 38.9 ms of GPU time and 41 ms of wall time, 1.05x.

Over 200 training steps in fp32 the means of 17 losses are at most 6.3e-06 apart with the operator and without; those of two seeds without it 3.2e-01.

## Wall time

| model | alone \[ms\] | patched \[ms\] | speed-up |
| :--- | ---: | ---: | ---: |
| deformable detr in fp16 | 35.4 | 18.6 | 1.90x [1.86, 1.95] |

## Memory

| peak of a step | alone \[MiB\] | patched \[MiB\] | alive before it | model and images |
| :--- | ---: | ---: | ---: | ---: |
| deformable detr, training step in amp | 7072 | 2415 | 181 | 172 |

## Errors

| model | attention alone | the operator | outputs alone | outputs patched |
| :--- | ---: | ---: | ---: | ---: |
| deformable detr in fp16 | 5.3e-04 | 7.5e-04 | 6.7e-04 | 7.0e-04 |
| rt detr v2 in fp32 | - | - | 0.0e+00 | 5.6e-07 |

## Gradients of all parameters

| step | patched, from the model's own | the model's own again |
| :--- | ---: | ---: |
| deformable detr, training step in amp | 3.2e-02 | 1.0e-02 |

## The operator

| call | levels | fixed | given | stored | error | general | its error | gradients | general gradients | repeatable |
| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| ddetr-decoder-bf16-wide, locations fp32 | 94x128 47x64 | - | 4.53 | - | 3.9e-03 | 1004 | - | - | - | - |

## The longest kernels of deformable detr in fp16, patched

| kernel | ms | launches |
| :--- | ---: | ---: |
| `void gemm<1>` | 1.25 | 30 |
)");
}

TEST_F(ChecksPage, HasAModelOfThePackageThatIsForItElseOfTheFirst) {
  const auto file = [&](const char* name, const char* model, double milliseconds) {
    json run = json::parse(kDetr);
    run["export"] = fmt::format("msda export best --for {} --format torch", model);
    run["checks"][3]["said"]["gpu_after_ms"] = milliseconds;
    return folder_.write(name, run.dump());
  };
  const auto first = file("a.json", "rt-detr", 7);
  const auto own = file("b.json", "deformable-detr", 6);
  const auto last = file("c.json", "grounding-dino", 8);
  const auto page = [](const std::vector<std::filesystem::path>& files) {
    return checks_page(read_checks(files));
  };
  EXPECT_THAT(page({first, own, last}), HasSubstr("- deformable detr in fp16: 6 ms"));
  EXPECT_THAT(page({first, last, own}), HasSubstr("- deformable detr in fp16: 6 ms"));
  EXPECT_THAT(page({first, last}), HasSubstr("- deformable detr in fp16: 7 ms"));
  EXPECT_THAT(page({last, first}), HasSubstr("- deformable detr in fp16: 8 ms"));
}

TEST_F(ChecksPage, HasNothingOfAModelThatWasNotMeasured) {
  const json checks =
      read_checks({folder_.write("b.json", of_rt_detr({{"checks", json::array()}}).dump())});
  EXPECT_THAT(checks_page(checks), Not(HasSubstr("##")));
}

TEST_F(ChecksPage, NamesNoPlaceOfTheMachine) {
  EXPECT_THAT(read().dump(), Not(HasSubstr("/home")));
}

TEST_F(ChecksPage, IsTheSameOfWhatWasPublished) {
  const json checks = read();
  EXPECT_EQ(read_checks({folder_.write("export.json", checks.dump())}), checks);
}

TEST_F(ChecksPage, PutsNothingOfTwoCommitsOrVersionsSideBySide) {
  EXPECT_THAT(refusal(of_rt_detr({{"commit", "5e6f"}})), HasSubstr("b.json is of another commit"));
  EXPECT_THAT(refusal(of_rt_detr({{"torch", "2.12.0"}})), HasSubstr("b.json is of another torch"));
  EXPECT_THAT(refusal({{"torch", "2.12.0"}}), HasSubstr("b.json is not what check.py"));
  EXPECT_THAT(refusal({{"schema", 1}}), HasSubstr("b.json: "));
}

TEST_F(ChecksPage, IsQuotedByItsRunsAndChecks) {
  folder_.write("export.json", read().dump());
  const std::string mark =
      "<!--= export "
      "runs[name=deformable-detr].checks[check=models.deformable_detr_in_fp16].said.gpu_after_ms--"
      ">";
  EXPECT_EQ(with_quotes("takes 7.7" + mark + " ms", folder_.path()), "takes 6.4" + mark + " ms");
}

}  // namespace
}  // namespace msda::test
