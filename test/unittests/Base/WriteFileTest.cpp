//===- WriteFileTest.cpp - Replacing files, and writing through -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/FileSystem.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace kiln;

namespace {

/// A folder of its own for each test.
class WriteFile : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/kiln-write-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string &name) { return folder_ + "/" + name; }
  static Status write(const std::string &path, const std::string &text) {
    return writeFile(path, ByteView(std::string_view(text)));
  }
  static std::string contents(const std::string &path) {
    auto bytes = readFile(path);
    return bytes ? std::string(ByteView(*bytes).text())
                 : "error: " + bytes.error().message;
  }
  static struct stat info(const std::string &path) {
    struct stat info = {};
    EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
    return info;
  }
  /// Names in the folder; a temporary file that was left would be among them.
  size_t filesInFolder() {
    size_t count = 0;
    for (auto &entry : std::filesystem::directory_iterator(folder_))
      count += !entry.path().empty();
    return count;
  }

  std::string folder_;
};

/// Message of a write that must fail.
std::string complaint(const Status &status) {
  if (status)
    return "success";
  EXPECT_EQ(status.error().kind, ErrorKind::Io);
  return status.error().message;
}

} // namespace

TEST_F(WriteFile, ReplacesARegularFileAsAWhole) {
  ASSERT_TRUE(write(path("a"), "one"));
  int before = open(path("a").c_str(), O_RDONLY);
  ASSERT_TRUE(write(path("a"), "two!"));
  EXPECT_EQ(contents(path("a")), "two!");
  char text[8];
  EXPECT_EQ(read(before, text, sizeof(text)), 3) << "a reader keeps the old";
  close(before);
  EXPECT_EQ(filesInFolder(), 1u);
}

TEST_F(WriteFile, TakesPermissionsFromTheReplacedFileOrTheMask) {
  mode_t mask = umask(027);
  ASSERT_TRUE(write(path("new"), "x"));
  EXPECT_EQ(info(path("new")).st_mode & 0777, 0640u);
  ASSERT_EQ(chmod(path("new").c_str(), 0606), 0);
  ASSERT_TRUE(write(path("new"), "y"));
  EXPECT_EQ(info(path("new")).st_mode & 0777, 0606u);
  umask(mask);
}

TEST_F(WriteFile, FollowsLinksAndKeepsThem) {
  ASSERT_TRUE(createDirectories(path("folder")));
  ASSERT_TRUE(write(path("folder/file"), "old"));
  ASSERT_EQ(symlink("folder/file", path("inner").c_str()), 0);
  ASSERT_EQ(symlink(path("inner").c_str(), path("outer").c_str()), 0);
  ASSERT_TRUE(write(path("outer"), "new"));
  EXPECT_EQ(contents(path("folder/file")), "new");
  EXPECT_TRUE(S_ISLNK(info(path("outer")).st_mode));
  EXPECT_TRUE(S_ISLNK(info(path("inner")).st_mode));
}

TEST_F(WriteFile, MakesTheFileOfADanglingLink) {
  ASSERT_TRUE(createDirectories(path("folder")));
  ASSERT_EQ(symlink("folder/file", path("link").c_str()), 0);
  ASSERT_TRUE(write(path("link"), "new"));
  EXPECT_TRUE(S_ISLNK(info(path("link")).st_mode));
  EXPECT_EQ(contents(path("folder/file")), "new");
}

TEST_F(WriteFile, EndsWhereLinksLeadInACircle) {
  ASSERT_EQ(symlink("b", path("a").c_str()), 0);
  ASSERT_EQ(symlink("a", path("b").c_str()), 0);
  EXPECT_EQ(complaint(write(path("a"), "x")),
            "cannot write '" + path("a") +
                "': too many levels of symbolic links");
}

TEST_F(WriteFile, WritesThroughDevices) {
  struct stat before = info("/dev/null");
  ASSERT_TRUE(write("/dev/null", "gone"));
  ASSERT_EQ(symlink("/dev/null", path("link").c_str()), 0);
  ASSERT_TRUE(write(path("link"), "gone"));
  EXPECT_TRUE(S_ISCHR(info("/dev/null").st_mode));
  EXPECT_EQ(info("/dev/null").st_ino, before.st_ino);
  EXPECT_TRUE(S_ISLNK(info(path("link")).st_mode));
}

TEST_F(WriteFile, SaysThatADeviceIsFull) {
  EXPECT_EQ(complaint(write("/dev/full", "x")),
            "cannot write '/dev/full': no space left on device");
  EXPECT_TRUE(S_ISCHR(info("/dev/full").st_mode));
}

TEST_F(WriteFile, WritesThroughAPipe) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] {
    int file = open(path("fifo").c_str(), O_RDONLY);
    char bytes[65536];
    for (ssize_t size; (size = read(file, bytes, sizeof(bytes))) > 0;)
      got.append(bytes, static_cast<size_t>(size));
    close(file);
  });
  std::string large(300000, 'k'); // more than a pipe holds
  EXPECT_TRUE(write(path("fifo"), large));
  reader.join();
  EXPECT_EQ(got, large);
  EXPECT_TRUE(S_ISFIFO(info(path("fifo")).st_mode));
}

TEST_F(WriteFile, APipeThatNobodyReadsIsAnError) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  std::string name = "/dev/fd/" + std::to_string(ends[1]);
  EXPECT_EQ(complaint(write(name, "x")),
            "cannot write '" + name + "': broken pipe");
  close(ends[1]);
}

TEST_F(WriteFile, WritesToADescriptorWhereItStands) {
  // As `tool -o /dev/stdout >> log`: what is there stays, the file as well.
  ASSERT_TRUE(write(path("log"), "before "));
  int file = open(path("log").c_str(), O_WRONLY | O_APPEND);
  struct stat before = info(path("log"));
  ASSERT_TRUE(write("/dev/fd/" + std::to_string(file), "one "));
  ASSERT_TRUE(write("/proc/self/fd/" + std::to_string(file), "two"));
  close(file);
  EXPECT_EQ(contents(path("log")), "before one two");
  EXPECT_EQ(info(path("log")).st_ino, before.st_ino);
  EXPECT_EQ(complaint(write("/dev/fd/987654", "x")),
            "cannot write '/dev/fd/987654': bad file descriptor");
}

TEST_F(WriteFile, WritesToASocketThatIsOpenAndLeavesOneThatIsNamed) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_TRUE(write("/dev/fd/" + std::to_string(ends[0]), "hello"));
  char text[8];
  EXPECT_EQ(read(ends[1], text, sizeof(text)), 5);
  close(ends[0]);
  close(ends[1]);

  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path("s").copy(address.sun_path, sizeof(address.sun_path) - 1);
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(server, reinterpret_cast<sockaddr *>(&address),
                 sizeof(address)),
            0);
  EXPECT_FALSE(write(path("s"), "x"));
  EXPECT_TRUE(S_ISSOCK(info(path("s")).st_mode));
  close(server);
}

TEST_F(WriteFile, LeavesEverythingWhenItFails) {
  ASSERT_TRUE(createDirectories(path("folder")));
  EXPECT_EQ(complaint(write(path("folder"), "x")),
            "cannot write '" + path("folder") + "': is a directory");
  EXPECT_EQ(complaint(write(path("folder/"), "x")),
            "cannot write '" + path("folder/") + "': is a directory");
  EXPECT_EQ(complaint(write(path("none/a"), "x")),
            "cannot write '" + path("none/a") +
                "': no such file or directory");
  EXPECT_EQ(complaint(write("", "x")),
            "cannot write '': no such file or directory");
  EXPECT_EQ(filesInFolder(), 1u);
  // A folder where nobody makes files, not even root.
  EXPECT_NE(complaint(write("/proc/kiln", "x")).find("'/proc/kiln': "),
            std::string::npos);
  if (geteuid() == 0)
    return;
  ASSERT_TRUE(write(path("folder/a"), "old"));
  ASSERT_EQ(chmod(path("folder").c_str(), 0500), 0);
  EXPECT_EQ(complaint(write(path("folder/a"), "x")),
            "cannot create a temporary file beside '" + path("folder/a") +
                "': permission denied");
  EXPECT_EQ(contents(path("folder/a")), "old");
  ASSERT_EQ(chmod(path("folder").c_str(), 0700), 0);
}

TEST_F(WriteFile, SaysBeforehandWhatCannotBeWritten) {
  ASSERT_TRUE(createDirectories(path("folder")));
  EXPECT_TRUE(checkWritable(path("a")));
  EXPECT_TRUE(checkWritable("/dev/null"));
  EXPECT_TRUE(checkWritable("/dev/fd/1"));
  EXPECT_EQ(filesInFolder(), 1u) << "nothing is made";
  EXPECT_EQ(complaint(checkWritable(path("none/a"))),
            "cannot write '" + path("none/a") +
                "': no such file or directory");
  EXPECT_EQ(complaint(checkWritable(path("folder"))),
            "cannot write '" + path("folder") + "': is a directory");
}
