// DrXuQian/ai-benchmark, tma_experiments: the kernels of the documents' author, for one head of 32
// channels, four levels and eight points in fp16, values with a border of one zero pixel.
// AUTHOR_SOURCE is one of his programs, which is compiled whole.
#define main author_main
#include AUTHOR_SOURCE
#undef main

#include "im2col.cuh"

PEER_ERROR_TEXTS

namespace {

std::string author_refusal(const msda_problem& p) {
  if (p.heads != 1 || p.channels != 32 || p.levels != 4 || p.points != 8) {
    return "it is written for one head of 32 channels, four levels and eight points";
  }
  // It divides rows by queries in float.
  if (p.batch * p.queries >= 1 << 24) return "it counts rows in float";
  return peer::refusal(p, {MSDA_FP16}, MSDA_ZERO_BORDER, 2);
}

}  // namespace

PEER_EXPORT int msda_forward_query(const msda_problem* problem, msda_answer* answer) {
  return peer::answer_with(author_refusal(*problem), answer);
}

PEER_EXPORT int msda_forward(const void* value, const std::int64_t* shapes,
                             const std::int64_t* starts, const void* locations, const void* weights,
                             void* output, const msda_problem* problem, void*, void* stream) {
  return peer::im2col<__half>(value, shapes, starts, locations, weights, output, *problem, stream);
}
