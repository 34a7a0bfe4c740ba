#include "process/child.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

#include "files/read.hpp"
#include "files/temporary_directory.hpp"
#include "process/command.hpp"

namespace msda {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

TEST(Command, GivesItsOutputAndExitCode) {
  const CommandResult result = execute_command({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
}

TEST(Command, IsFoundInPathWhenItMayBeExecuted) {
  const TemporaryDirectory directory;
  const auto tool = directory.write("some-tool", "#!/bin/sh\n");
  const char* path = std::getenv("PATH");
  const std::string before = path == nullptr ? "" : path;
  ::setenv("PATH", ("/no/such/folder:" + directory.path().string() + ":" + before).c_str(), 1);
  EXPECT_EQ(find_in_path("some-tool"), std::nullopt);
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  EXPECT_EQ(find_in_path("some-tool"), tool);
  EXPECT_NE(find_in_path("sh"), std::nullopt);
  EXPECT_EQ(find_in_path("no-such-program-here"), std::nullopt);
  ::setenv("PATH", before.c_str(), 1);
}

TEST(Command, OfASignalIsToldAsAShellTellsIt) {
  EXPECT_EQ(execute_command({"sh", "-c", "kill -TERM $$"}).exit_code, 128 + SIGTERM);
}

TEST(Command, ThatIsNotThereIsNamed) {
  try {
    execute_command({"no-such-program-here"});
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot run no-such-program-here"));
  }
}

TEST(Child, ReadsAndWritesTheGivenDescriptors) {
  const TemporaryDirectory directory;
  const OpenFile input(directory.write("in", "three words here"), O_RDONLY);
  const OpenFile output(directory.path() / "out", O_WRONLY | O_CREAT);
  Child child({"wc", "-w"}, {.input = input.descriptor(), .output = output.descriptor()});
  child.wait();
  EXPECT_EQ(child.exit_code(), 0);
  EXPECT_THAT(read_text(directory.path() / "out"), HasSubstr("3"));
}

TEST(Child, SaysHowItEnded) {
  Child exits({"sh", "-c", "exit 5"}, {});
  exits.wait();
  EXPECT_EQ(exits.end(), "exit code 5");
  Child killed({"sleep", "100"}, {});
  EXPECT_FALSE(killed.wait(milliseconds(20)));
  killed.signal(SIGKILL);
  EXPECT_TRUE(killed.wait(seconds(10)));
  EXPECT_EQ(killed.end(), "signal SIGKILL (Killed)");
}

TEST(Child, IsGoneWithTheObject) {
  pid_t id = 0;
  {
    const Child child({"sleep", "100"}, {});
    id = child.id();
  }
  EXPECT_NE(::kill(id, 0), 0);
}

/// A compiler that a worker has started must not outlive it.
TEST(Child, TakesItsGroupAlong) {
  Pipe output;
  {
    Child child({"sh", "-c", "sleep 100 & echo started; wait"},
                {.output = output.write_end(), .own_group = true});
    output.close_write_end();
    char text[8];
    ASSERT_EQ(::read(output.read_end(), text, sizeof text), 8);
  }
  // The pipe ends when nobody can write to it any more.
  char more = 0;
  EXPECT_EQ(::read(output.read_end(), &more, 1), 0);
}

TEST(Child, MayBeACopyOfThisProcess) {
  const int seven = 7;
  Child child([&] { ::_exit(seven); }, {});
  child.wait();
  EXPECT_EQ(child.exit_code(), 7);
  Child whole([] {}, {});
  whole.wait();
  EXPECT_EQ(whole.exit_code(), 0);
}

TEST(Child, ManyMayStartAtATime) {
  std::array<std::jthread, 4> threads;
  for (std::jthread& thread : threads) {
    thread = std::jthread([] {
      for (int i = 0; i < 10; ++i) EXPECT_EQ(execute_command({"echo", "x"}).output, "x\n");
    });
  }
}

}  // namespace
}  // namespace msda
