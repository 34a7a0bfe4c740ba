#include "device/simt/launch.hpp"

#include <map>
#include <memory>
#include <mutex>

#include "device/simt/cluster.hpp"

namespace msda::simt {
namespace {

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// The table that units call. All of it leads to the cluster that runs in this thread.
const host::Executor kTable = {
    .current = nullptr,  // the cluster's own, as is
    .slice = nullptr,    // this
    .end_slice = [](const void* pc) { Cluster::running()->end_slice(pc); },
    .access = [](const void* address, unsigned long bytes, unsigned kind,
                 const void* pc) { Cluster::running()->access(number(address), bytes, kind, pc); },
    .fail = [](host::Where where, const char* what) { Cluster::running()->fail(where, what); },
    .meet = [](const host::Meeting* meeting) { Cluster::running()->meet(*meeting); },
    .barrier = [](const host::BarrierCall* call) { Cluster::running()->barrier(*call); },
    .wait = [](const host::Condition* condition) { Cluster::running()->wait(*condition); },
    .look = [](const void* subject) { Cluster::running()->look(subject); },
    .release = [](const void* subject) { Cluster::running()->release(subject); },
    .acquire = [](const void* subject) { Cluster::running()->acquire(subject); },
    .copy = [](host::Where where, void* shared, const void* global,
               unsigned bytes) { Cluster::running()->copy(where, shared, global, bytes); },
    .cp_async_commit_group = [] { Cluster::running()->cp_async_commit_group(); },
    .cp_async_wait_group = [](int pending) { Cluster::running()->cp_async_wait_group(pending); },
    .cp_async_mbarrier_arrive =
        [](const host::Completion* completion) {
          Cluster::running()->cp_async_mbarrier_arrive(*completion);
        },
    .cp_async_bulk =
        [](host::Where where, host::CopyKind kind, const host::CopyPart* parts, unsigned count,
           const host::Completion* completion) {
          Cluster::running()->cp_async_bulk(where, kind, parts, count, *completion);
        },
    .cp_reduce_async_bulk =
        [](const host::Reduction* reduction) {
          Cluster::running()->cp_reduce_async_bulk(*reduction);
        },
    .cp_async_bulk_commit_group = [] { Cluster::running()->cp_async_bulk_commit_group(); },
    .cp_async_bulk_wait_group_read =
        [](int pending) { Cluster::running()->cp_async_bulk_wait_group_read(pending); },
    .mapa = [](host::Where where, const void* shared,
               unsigned rank) { return Cluster::running()->mapa(where, shared, rank); },
    .init_barrier = [](const void* barrier) { Cluster::running()->init_barrier(barrier); },
    .fence_mbarrier_init = [] { Cluster::running()->fence_mbarrier_init(); },
    .fence_proxy_async = [] { Cluster::running()->fence_proxy_async(); },
    .hint = nullptr,  // and this
    .count = [](host::Event event, const void* subject,
                unsigned long times) { Cluster::running()->count(event, subject, times); },
    .griddepcontrol_wait = [] { Cluster::running()->griddepcontrol_wait(); },
    .begin_tile = [](bool first) { Cluster::running()->begin_tile(first); },
    .note_order =
        [](long long image, long long queries, long long position, long long query) {
          Cluster::running()->note_order(image, queries, position, query);
        },
    .steps = [] { return Cluster::running()->steps(); },
    .threadfence = [] { Cluster::running()->threadfence(); },
    .print = [](const char* line) { Cluster::running()->print(line); },
};

/// A unit has one place for the table, so that it is one launch's at a time.
std::mutex& lock_of(void (*attach)(const void*)) {
  static std::mutex guard;
  static std::map<void (*)(const void*), std::mutex> locks;
  const std::lock_guard lock(guard);
  return locks[attach];
}

}  // namespace

Counts run(const Grid& grid, const void* arguments, const Image& image, void (*attach)(const void*),
           std::vector<Buffer> buffers, const Options& options) {
  const std::lock_guard lock(lock_of(attach));
  GlobalMemory global(std::move(buffers));
  Cluster cluster(grid, arguments, image, global, options);
  host::Executor table = kTable;
  cluster.enter_into(table);
  attach(&table);
  const auto detach = [&](const void*) { attach(nullptr); };
  const std::unique_ptr<const void, decltype(detach)> attached(&table, detach);
  const Blocks part = grid.part.value_or(Blocks{0, grid.blocks});
  for (unsigned block = part.first; block < part.last; block += grid.cluster) cluster.run(block);
  return {global.accesses(), cluster.recorder() ? cluster.recorder()->numbers() : Numbers{}};
}

}  // namespace msda::simt
