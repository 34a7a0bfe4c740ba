/* External kernels: any compiled implementation of the operator as an arm of an experiment, without
 * a plugin. A shared library exports an entry, whose name an experiment gives, and those of its
 * companions that it needs. With an entry NAME:
 *
 *   NAME           does the work; the only one that has to be there
 *   NAME_query     says what NAME takes; without it every problem on every device is tried
 *   NAME_prepare   packs an input set before NAME is timed; its own time is shown apart
 *   NAME_release   frees what NAME_prepare allocated
 *   NAME_error     the text of an error code
 *
 *   {name: mine, external: {library: libmine.so, symbol: NAME, signature: msda-c-1}}
 *
 * The operator, with tensors dense and row-major, the last index fastest:
 *
 *   output[b,q,h,c] = sum over l,p of weights[b,q,h,l,p] * bilinear(value_l[b,:,:,h,c], x, y)
 *   x = locations[b,q,h,l,p,0] * W_l - 0.5,  y = locations[b,q,h,l,p,1] * H_l - 0.5
 *
 *   value     [B, S, H, C]           S = sum of the levels' stored pixels
 *   locations [B, Q, H, L, P, 2]     (x, y), 0..1 inside the image
 *   weights   [B, Q, H, L, P]        or logits, when NAME_query asks for them
 *   output    [B, Q, H, C]           every element has to be written
 *
 * Corners outside a level count as zero. All functions have C linkage and are called from one
 * thread. With CUDA the experiment's device is current, and pointers to tensors are device
 * pointers.
 *
 * That is the signature msda-c-1, of the operator `forward`. With `signature: msda-c-2` NAME and NAME_prepare get
 * the tensors of any operator (`operator: backward`) as an array of named ones, see msda_tensor.
 */
#ifndef MSDA_EXTERNAL_H
#define MSDA_EXTERNAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when something below changes its meaning. Structs grow at their ends without that: `size`
 * tells a library what is there. */
#define MSDA_EXTERNAL_ABI 1

enum msda_type { MSDA_FP32 = 0, MSDA_FP16 = 1, MSDA_BF16 = 2, MSDA_INT64 = 3, MSDA_BOOL = 4 };
enum msda_role { MSDA_INPUT = 0, MSDA_OUTPUT = 1 };
enum msda_layout {
  MSDA_PLAIN = 0,      /* a level is H_l rows of W_l pixels */
  MSDA_ZERO_BORDER = 1 /* the same inside a border of one zero pixel */
};
enum msda_device { MSDA_CPU = 1, MSDA_CUDA = 2 };

/* The problem at hand; the same for all calls of one arm. */
typedef struct msda_problem {
  uint32_t size;         /* of this struct, in bytes, as the caller knows it */
  uint32_t abi;          /* MSDA_EXTERNAL_ABI of the caller */
  int32_t device;        /* enum msda_device: where the tensors are */
  int32_t layout;        /* enum msda_layout, of value */
  int32_t value_type;    /* enum msda_type */
  int32_t location_type; /* enum msda_type */
  int32_t weight_type;   /* enum msda_type, of weights or logits */
  int32_t output_type;   /* enum msda_type */
  int64_t batch;         /* B */
  int64_t spatial_size;  /* S, borders included */
  int64_t heads;         /* H */
  int64_t channels;      /* C, of one head */
  int64_t levels;        /* L */
  int64_t queries;       /* Q, of one image */
  int64_t points;        /* P, of one head and level; the most where levels differ */
  const int64_t* shapes; /* [L, 2] heights and widths without borders, in host memory */
  const int64_t* starts; /* [L] first pixel of each level in value, in host memory */
  const char* options;   /* what the arm says in `options`; "" without */
  const char* operator_name; /* "forward"; of programs from 0.2 on */
  /* Of operators with reference points (docs/fused.md); of programs from 0.2 on: */
  int32_t reference_type;        /* enum msda_type */
  int32_t reference_coordinates; /* of a reference: 2 or 4 */
  int64_t reference_anchors;     /* of a query for all levels; 0: one for each level */
  const int64_t* level_points;   /* [L] points of each level, in host memory */
  const float* box_parts; /* [points of a row] of 4 coordinates: the part of a box that an offset of
                           * 1 moves a point by, in host memory; NULL: half of one over points */
  int32_t padded;         /* 1: padding_mask says which pixels of value count as zero */
} msda_problem;

/* What NAME_query says. */
typedef struct msda_answer {
  uint32_t size;        /* of this struct, in bytes, as the caller knows it */
  uint32_t abi;         /* to be set to MSDA_EXTERNAL_ABI: what the library was compiled with */
  int32_t wants_logits; /* 1: `weights` are logits, whose softmax over L * P gives the weights */
  const char* refusal;  /* why NAME does not take the problem; NULL when it does */
} msda_answer;

enum { MSDA_MOST_AXES = 6 };

/* One tensor of a call with the signature msda-c-2. The array has the operator's inputs and outputs
 * in its order (docs/problems.md), then the inputs spatial_shapes [L, 2] and level_start_index [L]
 * as PyTorch's operators get them. Every element of an output has to be written; an output that is
 * a sum arrives with any content, so clearing it is a part of the call. */
typedef struct msda_tensor {
  const char* name; /* "value" */
  void* data;       /* in the memory of the device; inputs must not be written to */
  int32_t type;     /* enum msda_type */
  int32_t role;     /* enum msda_role */
  int32_t rank;     /* axes */
  int32_t reserved; /* 0 */
  int64_t extent[MSDA_MOST_AXES];
} msda_tensor;

/* NAME and NAME_prepare with the signature msda-c-2; all else is as below. */
typedef int msda_operator_entry(const msda_tensor* tensors, int32_t count,
                                const msda_problem* problem, void* state, void* stream);
typedef int msda_operator_prepare_entry(const msda_tensor* tensors, int32_t count,
                                        const msda_problem* problem, void** state, void* stream);

/* NAME: enqueues the work on `stream`, a cudaStream_t, and nothing else: no allocation, no
 * synchronisation, so that it can be captured in a graph. On a CPU it does the work, and `stream`
 * is NULL. `shapes` and `starts` are the arrays of the problem in the memory of the device, as
 * PyTorch's operators get them. `state` is what NAME_prepare made for this input set, NULL without
 * it. Returns 0, or an error code that ends the arm. */
typedef int msda_entry(const void* value, const int64_t* shapes, const int64_t* starts,
                       const void* locations, const void* weights, void* output,
                       const msda_problem* problem, void* state, void* stream);

/* NAME_query: fills `answer`, which comes zeroed but for its size. Called before anything else.
 * Returns 0, or an error code. */
typedef int msda_query_entry(const msda_problem* problem, msda_answer* answer);

/* NAME_prepare: called once for each input set before NAME, with *state NULL, and then again with
 * what it left there: to be timed, and before launches that are watched, whose inputs may have
 * changed in place (docs/measurement.md). Each time it packs what the inputs hold then, into the
 * same memory, and should allocate nothing. The device is idle before NAME is called. Returns 0, or
 * an error code. */
typedef int msda_prepare_entry(const void* value, const int64_t* shapes, const int64_t* starts,
                               const void* locations, const void* weights, void* output,
                               const msda_problem* problem, void** state, void* stream);

/* NAME_release: called once for each state that is not NULL, at the end. */
typedef void msda_release_entry(void* state);

/* NAME_error: what an error code means; NULL when it does not know. */
typedef const char* msda_error_entry(int code);

#ifdef __cplusplus
}
#endif

#endif
