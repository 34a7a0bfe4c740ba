#include "runner/worker/process_state.hpp"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include <clocale>
#include <csignal>

#include <unistd.h>

#include <gtest/gtest.h>

namespace msda::test {
namespace {

TEST(ProcessState, PutsBackWhatAnArmHasChanged) {
  cpu_set_t processors;
  ::sched_getaffinity(0, sizeof processors, &processors);
  const auto directory = std::filesystem::current_path();
  const std::string locale = std::setlocale(LC_ALL, nullptr);
#if defined(__SSE__)
  const unsigned control = _mm_getcsr();
#endif
  {
    const ProcessState restored;
    ::fesetround(FE_UPWARD);
#if defined(__SSE__)
    _mm_setcsr(_mm_getcsr() | 0x8040U);  // denormal numbers are zero
#endif
    std::filesystem::current_path("/");
    std::setlocale(LC_ALL, locale == "C" ? "C.UTF-8" : "C");
    std::signal(SIGUSR2, SIG_IGN);
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    ::alarm(100);
  }
  EXPECT_EQ(::fegetround(), FE_TONEAREST);
#if defined(__SSE__)
  EXPECT_EQ(_mm_getcsr(), control);
#endif
  EXPECT_EQ(std::filesystem::current_path(), directory);
  EXPECT_EQ(std::setlocale(LC_ALL, nullptr), locale);
  struct sigaction action {};
  ::sigaction(SIGUSR2, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(::sigismember(&blocked, SIGUSR1), 0);
  cpu_set_t now;
  ::sched_getaffinity(0, sizeof now, &now);
  EXPECT_TRUE(CPU_EQUAL(&now, &processors));
  EXPECT_EQ(::alarm(0), 0U);
}

}  // namespace
}  // namespace msda::test
