// Host bodies of ptx/bulk_copy.cuh: the executor copies at a time of its choice, as TMA does, and
// then completes the mbarrier's bytes. Bulk reductions read shared memory as late as the waits of
// their thread allow.
#pragma once

#include <msda/simt/host/barrier.cuh>

namespace msda::ptx {

inline constexpr bool kHasTma = true;

MSDA_UNCHECKED inline void mbarrier_arrive_expect_tx(Barrier* barrier, unsigned bytes,
                                                     simt::host::Where where = simt::host::here()) {
  host::arrive(barrier, static_cast<int>(bytes), where);
}

MSDA_UNCHECKED inline void fence_proxy_async() { simt::host::executor->fence_proxy_async(); }

namespace host {

MSDA_UNCHECKED inline bool is_multiple(const void* address, unsigned of) {
  return reinterpret_cast<unsigned long>(address) % of == 0;
}

/// Of a bulk copy or reduction.
MSDA_UNCHECKED inline void check_multiples(const void* shared, const void* global, unsigned bytes,
                                           simt::host::Where where) {
  constexpr unsigned kUnit = 16;
  if (is_multiple(shared, kUnit) && is_multiple(global, kUnit) && bytes % kUnit == 0) return;
  simt::host::executor->fail(where, "a bulk copy's addresses and bytes are multiples of 16");
}

/// Rows of a box, split where they leave the tensor.
struct BoxParts {
  static constexpr unsigned kMost = 3 * 4096;
  simt::host::CopyPart part[kMost];
  unsigned count;
};
inline BoxParts box_parts;

MSDA_UNCHECKED inline void add_part(unsigned char*& to, const unsigned char* from, long long bytes,
                                    simt::host::Where where) {
  if (bytes <= 0) return;
  if (box_parts.count == BoxParts::kMost) executor->fail(where, "a box has too many rows");
  box_parts.part[box_parts.count++] = {to, from, static_cast<unsigned>(bytes)};
  to += bytes;
}

/// Adds the row of the box that begins at coordinates `at`.
MSDA_UNCHECKED inline void add_row(const simt::host::Tensor& tensor, unsigned char*& to,
                                   const long long (&at)[4], simt::host::Where where) {
  const long long size = tensor.element_bytes;
  const long long width = tensor.extent[0];
  const long long last = at[0] + tensor.box[0];
  bool inside = last > 0 && at[0] < width;
  long long from = 0;
  for (unsigned d = 1; d < tensor.rank; ++d) {
    inside = inside && at[d] >= 0 && at[d] < tensor.extent[d];
    from += at[d] * static_cast<long long>(tensor.stride_bytes[d - 1]);
  }
  if (!inside) return add_part(to, nullptr, tensor.box[0] * size, where);
  const long long begin = at[0] < 0 ? 0 : at[0];
  const long long end = last > width ? width : last;
  add_part(to, nullptr, (begin - at[0]) * size, where);
  add_part(to, tensor.first + from + begin * size, (end - begin) * size, where);
  add_part(to, nullptr, (last - end) * size, where);
}

MSDA_UNCHECKED inline void cp_async_bulk_tensor(void* shared, const void* map,
                                                const int (&corner)[4], unsigned rank,
                                                Barrier* barrier, simt::host::Where where) {
  const auto& tensor = *static_cast<const simt::host::Tensor*>(map);
  if (tensor.rank != rank) executor->fail(where, "a box has another rank than its tensor");
  if (!is_multiple(shared, 128)) {
    executor->fail(where, "a box goes to an address that is no multiple of 128");
  }
  touch(barrier, sizeof *barrier, simt::host::kRead | simt::host::kAtomic);
  box_parts.count = 0;
  auto* to = static_cast<unsigned char*>(shared);
  for (unsigned w = 0; w < tensor.box[3]; ++w) {
    for (unsigned z = 0; z < tensor.box[2]; ++z) {
      for (unsigned y = 0; y < tensor.box[1]; ++y) {
        const long long at[4] = {corner[0], corner[1] + static_cast<long long>(y),
                                 corner[2] + static_cast<long long>(z),
                                 corner[3] + static_cast<long long>(w)};
        add_row(tensor, to, at, where);
      }
    }
  }
  const auto bytes = static_cast<unsigned>(to - static_cast<unsigned char*>(shared));
  const simt::host::Completion completion = {complete_bytes, barrier, bytes};
  executor->cp_async_bulk(where, simt::host::kTensorCopy, box_parts.part, box_parts.count,
                          &completion);
}

}  // namespace host

MSDA_UNCHECKED inline void cp_async_bulk(void* shared, const void* global, unsigned bytes,
                                         Barrier* barrier,
                                         simt::host::Where where = simt::host::here()) {
  host::check_multiples(shared, global, bytes, where);
  host::touch(barrier, sizeof *barrier, simt::host::kRead | simt::host::kAtomic);
  const simt::host::CopyPart part = {shared, global, bytes};
  const simt::host::Completion completion = {host::complete_bytes, barrier, bytes};
  simt::host::executor->cp_async_bulk(where, simt::host::kBulkCopy, &part, 1, &completion);
}

MSDA_UNCHECKED inline void cp_async_bulk_tensor(void* shared, const void* map, int x, int y, int z,
                                                Barrier* barrier,
                                                simt::host::Where where = simt::host::here()) {
  host::cp_async_bulk_tensor(shared, map, {x, y, z, 0}, 3, barrier, where);
}
MSDA_UNCHECKED inline void cp_async_bulk_tensor(void* shared, const void* map, int x, int y, int z,
                                                int w, Barrier* barrier,
                                                simt::host::Where where = simt::host::here()) {
  host::cp_async_bulk_tensor(shared, map, {x, y, z, w}, 4, barrier, where);
}

namespace host {

/// Called by the executor, which neither interrupts nor checks it.
template <class T>
void add_numbers(void* global, const void* shared, unsigned bytes) {
  auto* const sums = static_cast<T*>(global);
  const auto* const numbers = static_cast<const T*>(shared);
  for (unsigned i = 0; i < bytes / sizeof(T); ++i) sums[i] = static_cast<T>(sums[i] + numbers[i]);
}

}  // namespace host

template <class T>
MSDA_UNCHECKED void cp_reduce_async_bulk_add(T* global, const T* shared, unsigned bytes,
                                             simt::host::Where where = simt::host::here()) {
  host::check_multiples(shared, global, bytes, where);
  const void* const pc = __builtin_return_address(0);
  simt::host::executor->count(simt::host::kAtomicUpdate, nullptr, 1);
  simt::host::executor->access(global, bytes, simt::host::kRead | simt::host::kAtomic, pc);
  simt::host::executor->access(global, bytes, simt::host::kWrite | simt::host::kAtomic, pc);
  const simt::host::Reduction reduction = {where, global, shared, bytes, host::add_numbers<T>};
  simt::host::executor->cp_reduce_async_bulk(&reduction);
}

MSDA_UNCHECKED inline void cp_async_bulk_commit_group() {
  simt::host::executor->cp_async_bulk_commit_group();
}

template <int pending>
MSDA_UNCHECKED void cp_async_bulk_wait_group_read() {
  simt::host::executor->cp_async_bulk_wait_group_read(pending);
}

MSDA_UNCHECKED inline void prefetch_tensormap(const void*) {
  simt::host::count(simt::host::kMapPrefetch);
}

}  // namespace msda::ptx
