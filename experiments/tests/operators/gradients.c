/* The operator backward behind msda-c-2, in fp32: right, and in some wrong ways, as `options` say.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <msda/external.h>

__attribute__((visibility("default"))) int gradients_query(const msda_problem* problem,
                                                           msda_answer* answer) {
  answer->abi = MSDA_EXTERNAL_ABI;
  if (problem->value_type != MSDA_FP32) answer->refusal = "fp32 alone";
  return 0;
}

/* NULL for an output that nobody asks for. */
static float* data_of(const msda_tensor* tensors, int32_t count, const char* name) {
  for (int32_t i = 0; i < count; ++i) {
    if (strcmp(tensors[i].name, name) == 0) return tensors[i].data;
  }
  return NULL;
}

struct gradients {
  const msda_problem* p;
  const float* value;
  const float* locations;
  const float* weights;
  const float* grad_output;
  float* grad_value;
  float* grad_locations;
  float* grad_weights;
};

static void add_point(const struct gradients* g, int64_t row, int64_t level, int64_t point) {
  const msda_problem* p = g->p;
  const int64_t height = p->shapes[2 * level];
  const int64_t width = p->shapes[2 * level + 1];
  const int64_t head = row % p->heads;
  const int64_t image = row / p->heads / p->queries;
  const float* gradient = g->grad_output + row * p->channels;
  const double x = g->locations[2 * point] * (double)width - 0.5;
  const double y = g->locations[2 * point + 1] * (double)height - 0.5;
  float dots[4] = {0, 0, 0, 0};
  float dx = 0;
  float dy = 0;
  const int cheats = strcmp(p->options, "weights alone") == 0;
  if (x > -1 && y > -1 && x < (double)width && y < (double)height) {
    const int64_t left = (int64_t)floor(x);
    const int64_t top = (int64_t)floor(y);
    dx = (float)(x - floor(x));
    dy = (float)(y - floor(y));
    for (int k = 0; k < 4; ++k) {
      const int64_t line = top + k / 2;
      const int64_t column = left + k % 2;
      if (line < 0 || column < 0 || line >= height || column >= width) continue;
      const int64_t first =
          ((image * p->spatial_size + p->starts[level] + line * width + column) * p->heads + head) *
          p->channels;
      const float share =
          (k / 2 ? dy : 1 - dy) * (k % 2 ? dx : 1 - dx) * (cheats ? 1 : g->weights[point]);
      for (int64_t c = 0; c < p->channels; ++c) {
        dots[k] += gradient[c] * g->value[first + c];
        if (g->grad_value != NULL) g->grad_value[first + c] += share * gradient[c];
      }
    }
  }
  if (g->grad_locations != NULL) {
    const float factor = strcmp(p->options, "no factor") == 0 ? 1 : (float)width;
    g->grad_locations[2 * point] =
        g->weights[point] * factor * ((1 - dy) * (dots[1] - dots[0]) + dy * (dots[3] - dots[2]));
    g->grad_locations[2 * point + 1] = g->weights[point] * (float)height *
                                       ((1 - dx) * (dots[2] - dots[0]) + dx * (dots[3] - dots[1]));
  }
  if (g->grad_weights != NULL) {
    g->grad_weights[point] =
        (1 - dy) * ((1 - dx) * dots[0] + dx * dots[1]) + dy * ((1 - dx) * dots[2] + dx * dots[3]);
  }
}

__attribute__((visibility("default"))) int gradients(const msda_tensor* tensors, int32_t count,
                                                     const msda_problem* p, void* state,
                                                     void* stream) {
  const struct gradients g = {p,
                              data_of(tensors, count, "value"),
                              data_of(tensors, count, "locations"),
                              data_of(tensors, count, "weights"),
                              data_of(tensors, count, "grad_output"),
                              data_of(tensors, count, "grad_value"),
                              data_of(tensors, count, "grad_sampling_locations"),
                              data_of(tensors, count, "grad_attention_weights")};
  static int calls;
  const int64_t rows = p->batch * p->queries * p->heads;
  (void)state;
  (void)stream;
  if (strcmp(p->operator_name, "backward") != 0 || p->layout != MSDA_PLAIN) return 1;
  ++calls;
  if (strcmp(p->options, "only at first") == 0 && calls > 3) return 0;
  if (g.grad_value != NULL && strcmp(p->options, "never cleared") != 0) {
    memset(g.grad_value, 0,
           (size_t)(p->batch * p->spatial_size * p->heads * p->channels) * sizeof(float));
  }
  const int64_t first = strcmp(p->options, "any order") == 0 ? calls % rows : 0;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = (first + i) % rows;
    for (int64_t l = 0; l < p->levels; ++l) {
      for (int64_t j = 0; j < p->points; ++j) {
        add_point(&g, row, l, (row * p->levels + l) * p->points + j);
      }
    }
  }
  if (strcmp(p->options, "a weight is lost") == 0 && g.grad_weights != NULL) {
    g.grad_weights[rows * p->levels * p->points - 1] *= 0.75F;
  }
  if (strcmp(p->options, "infinite") == 0 && g.grad_value != NULL) g.grad_value[7] = INFINITY;
  return 0;
}
