// --- Padding ------------------------------------------------------------------------------------
// Where no kernel of a table reads a mask, a call gets a copy of value whose masked pixels are zero,
// and the gradient of value is cleared there.

namespace msda::general {
namespace {

/// Pixels of all images, of which each has some words.
struct Pixels {
  const void* from;
  void* to;  ///< perhaps the same
  const unsigned char* mask;
  int64_t words;  ///< of a pixel
  int64_t count;  ///< words of all pixels
};

template <class Word>
__host__ __device__ void mask_word(const Pixels& pixels, int64_t i) {
  const bool masked = pixels.mask[i / pixels.words] != 0;
  static_cast<Word*>(pixels.to)[i] = masked ? Word{} : static_cast<const Word*>(pixels.from)[i];
}

template <class Word>
__global__ void mask_kernel(const __grid_constant__ Pixels pixels) {
  int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i < pixels.count; i += static_cast<int64_t>(gridDim.x) * blockDim.x)
    mask_word<Word>(pixels, i);
}

template <class Word>
int mask_words(Pixels pixels, int64_t pixel_bytes, int64_t pixel_count, bool on_gpu,
               cudaStream_t stream) {
  pixels.words = pixel_bytes / static_cast<int64_t>(sizeof(Word));
  pixels.count = pixels.words * pixel_count;
  if (pixels.count == 0) return 0;
  if (!on_gpu) {
    for (int64_t i = 0; i < pixels.count; ++i) mask_word<Word>(pixels, i);
    return 0;
  }
  mask_kernel<Word>
      <<<backward_blocks(pixels.count), kBackwardThreads, 0, stream>>>(pixels);
  return cudaGetLastError();
}

/// Pixels of `pixel_bytes`, a multiple of two, by words as wide as they all are.
int mask_pixels(const void* from, void* to, const void* mask, int64_t pixel_bytes,
                int64_t pixel_count, bool on_gpu, cudaStream_t stream) {
  const Pixels pixels = {from, to, static_cast<const unsigned char*>(mask), 0, 0};
  const auto fits = [&](size_t bytes) {
    return is_aligned(from, bytes) && is_aligned(to, bytes) && pixel_bytes % bytes == 0;
  };
  if (fits(sizeof(uint4)))
    return mask_words<uint4>(pixels, pixel_bytes, pixel_count, on_gpu, stream);
  if (fits(sizeof(uint32_t)))
    return mask_words<uint32_t>(pixels, pixel_bytes, pixel_count, on_gpu, stream);
  return mask_words<uint16_t>(pixels, pixel_bytes, pixel_count, on_gpu, stream);
}

}  // namespace
}  // namespace msda::general
