#include "runner/worker/process_state.hpp"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include <clocale>
#include <csignal>
#include <cstdlib>

#include <sys/time.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace msda::test {
namespace {

TEST(ProcessState, PutsBackWhatAnArmHasChanged) {
  cpu_set_t processors;
  ::sched_getaffinity(0, sizeof processors, &processors);
  const int policy = ::sched_getscheduler(0);
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  const auto directory = std::filesystem::current_path();
  const std::string path = std::getenv("PATH");
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
    ::setenv("MSDA_TEST_LEFT", "1", 1);
    ::unsetenv("PATH");
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
    const itimerval later{{100, 0}, {100, 0}};
    ::setitimer(ITIMER_PROF, &later, nullptr);
    timer_t timer{};
    sigevent by_signal{};
    by_signal.sigev_notify = SIGEV_SIGNAL;
    by_signal.sigev_signo = SIGUSR1;
    ASSERT_EQ(::timer_create(CLOCK_MONOTONIC, &by_signal, &timer), 0);
    const itimerspec at_once{{0, 1000000}, {0, 1000000}};
    ::timer_settime(timer, 0, &at_once, nullptr);
    ::usleep(5000);
    const rlimit little{1 << 20, before.rlim_max};
    ::setrlimit(RLIMIT_AS, &little);
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_BATCH, &none);
  }
  // SIGUSR1, which waits until it is blocked no more, would end this process.
  EXPECT_EQ(::fegetround(), FE_TONEAREST);
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  EXPECT_EQ(limit.rlim_cur, before.rlim_cur);
  EXPECT_EQ(::sched_getscheduler(0), policy);
  itimerval profiling{};
  ::getitimer(ITIMER_PROF, &profiling);
  EXPECT_EQ(profiling.it_value.tv_sec, 0);
#if defined(__SSE__)
  EXPECT_EQ(_mm_getcsr(), control);
#endif
  EXPECT_EQ(std::filesystem::current_path(), directory);
  EXPECT_EQ(std::getenv("MSDA_TEST_LEFT"), nullptr);
  EXPECT_EQ(std::string(std::getenv("PATH")), path);
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
