/* The operator weighted-sums behind msda-c-2, right and in some wrong ways, as `options` say. */
#include <string.h>

#include <msda/external.h>

__attribute__((visibility("default"))) int weighted_sums_query(const msda_problem* problem,
                                                               msda_answer* answer) {
  answer->abi = MSDA_EXTERNAL_ABI;
  if (problem->value_type != MSDA_FP32) answer->refusal = "fp32 alone";
  return 0;
}

static float* data_of(const msda_tensor* tensors, int32_t count, const char* name) {
  for (int32_t i = 0; i < count; ++i) {
    if (strcmp(tensors[i].name, name) == 0) return tensors[i].data;
  }
  return NULL;
}

__attribute__((visibility("default"))) int weighted_sums(const msda_tensor* tensors, int32_t count,
                                                         const msda_problem* p, void* state,
                                                         void* stream) {
  static int calls;
  const int any_order = strncmp(p->options, "any order", 9) == 0;
  const int64_t first = any_order ? calls++ % p->queries : 0;
  const int64_t width = p->heads * p->channels;
  const float* rows = data_of(tensors, count, "rows");
  const float* scales = data_of(tensors, count, "scales");
  float* scaled = data_of(tensors, count, "scaled");
  float* sums = data_of(tensors, count, "sums");
  (void)state;
  (void)stream;
  if (rows == NULL || scales == NULL || scaled == NULL || sums == NULL) return 1;
  if (strcmp(p->operator_name, "weighted-sums") != 0) return 2;
  for (int64_t i = 0; i < p->batch * width; ++i) {
    if (strcmp(p->options, "never cleared") != 0) sums[i] = 0;
  }
  for (int64_t b = 0; b < p->batch; ++b) {
    for (int64_t k = 0; k < p->queries; ++k) {
      const int64_t q = (first + k) % p->queries;
      for (int64_t c = 0; c < width; ++c) {
        const int64_t at = (b * p->queries + q) * width + c;
        scaled[at] = rows[at] * scales[at / p->channels];
        sums[b * width + c] += scaled[at];
      }
    }
  }
  if (strcmp(p->options, "a sum is lost") == 0) sums[width - 1] *= 0.75F;
  if (strcmp(p->options, "any order, wrong in the end") == 0 && calls > 6) sums[0] *= 0.75F;
  return 0;
}
