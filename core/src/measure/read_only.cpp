#include "measure/read_only.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <deque>
#include <span>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace msda {
namespace {

constexpr std::size_t kPage = 4096;

struct Region {
  Region(void* begin_, std::size_t bytes_)
      : begin(static_cast<std::byte*>(begin_)), bytes(bytes_) {}
  std::byte* begin;
  std::size_t bytes;
  std::atomic<bool> written = false;
};

/// What the handler reads; changes while no handler is installed.
std::deque<Region>& regions() {
  static std::deque<Region> all;
  return all;
}

/// Of the time before the handler was installed.
struct sigaction before;

/// A write to a region is noted, the region is opened, and the write is tried again. All else is
/// for whoever was there before: a fault happens again at once, a signal that was sent is sent
/// again.
void note_write(int signal, siginfo_t* info, void*) {
  const int error = errno;
  const auto* const at = static_cast<const std::byte*>(info->si_addr);
  const bool sent = info->si_code <= 0;
  for (Region& region : regions()) {
    if (sent || at < region.begin || at >= region.begin + region.bytes) continue;
    region.written = true;
    mprotect(region.begin, region.bytes, PROT_READ | PROT_WRITE);
    errno = error;
    return;
  }
  sigaction(signal, &before, nullptr);
  if (sent) raise(signal);
  errno = error;
}

void protect(const Region& region, int protection) {
  if (mprotect(region.begin, region.bytes, protection) == 0) return;
  throw Error(
      fmt::format("inputs cannot be mapped read-only: {}", std::generic_category().message(errno)));
}

/// Pages that may be written to again, whatever else goes wrong.
void open_all() {
  for (const Region& region : regions()) {
    mprotect(region.begin, region.bytes, PROT_READ | PROT_WRITE);
  }
  sigaction(SIGSEGV, &before, nullptr);
}

}  // namespace

ReadOnlyInputs::ReadOnlyInputs(const Device& device, DeviceInput& input)
    : input_(input), protects_(device.info().kind == DeviceKind::kCpu) {
  if (!protects_) return;
  regions().clear();
  for (const DeviceInput::Placed& placed : input_.placed()) {
    regions().emplace_back(placed.memory->data(), placed.memory->size());
  }
  struct sigaction action = {};
  action.sa_sigaction = note_write;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before);
  try {
    for (const Region& region : regions()) protect(region, PROT_READ);
  } catch (...) {
    open_all();
    throw;
  }
}

ReadOnlyInputs::~ReadOnlyInputs() {
  if (!protects_) return;
  open_all();
  for (std::size_t i = 0; i < regions().size(); ++i) {
    if (regions()[i].written) input_.placed()[i].written = true;
  }
}

void touch_pages(void* data, std::size_t bytes) {
  auto* const at = static_cast<volatile std::byte*>(data);
  for (std::size_t i = 0; i < bytes; i += kPage) at[i] = at[i];
}

bool are_in_memory(const void* data, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(data) / kPage * kPage;
  const std::size_t size = reinterpret_cast<std::uintptr_t>(data) + bytes - first;
  std::vector<unsigned char> pages(size / kPage + 1);
  if (::mincore(reinterpret_cast<void*>(first), size, pages.data()) != 0) return true;
  return std::ranges::all_of(std::span(pages).first((size + kPage - 1) / kPage),
                             [](unsigned char page) { return (page & 1U) != 0; });
}

}  // namespace msda
