//===- FileSystem.h - Mapping, reading and writing files -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The few file operations that Kiln needs, each with errors that name the path
// and what the system said.
//
//   auto bytes = mapFile(path);
//   if (!bytes)
//     return bytes.takeError();
//   return writeFile(path + ".copy", bytes->view());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_FILESYSTEM_H
#define KILN_BASE_FILESYSTEM_H

#include "kiln/Base/Bytes.h"

namespace kiln {

/// What identifies the contents of a file without reading it.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t modifiedNanos = 0; ///< mtime since the epoch
  int64_t changedNanos = 0;  ///< ctime since the epoch

  bool operator==(const FileIdentity &o) const {
    return device == o.device && inode == o.inode && size == o.size &&
           modifiedNanos == o.modifiedNanos && changedNanos == o.changedNanos;
  }
};

/// Maps a regular file read-only; the last copy of the result unmaps it. Io
/// error if it cannot be opened or is no regular file. A file of size 0 gives
/// no bytes. The mapping is private, but truncating the file while it is
/// mapped ends the process on access, as for every program that maps files:
/// writers must replace files by rename, as `writeFile` does.
Result<SharedBytes> mapFile(const std::string &path);

/// Gives the memory of the whole pages in `bytes` back to the system if `owner` is what
/// keeps a file of `mapFile` alive; true then. Bytes of anybody else stay as they are. Who
/// reads the pages later reads the file again, as a rule from the system's cache of it.
bool releasePages(ByteView bytes, const std::shared_ptr<const void> &owner);

/// Device, inode, size and times of a file.
Result<FileIdentity> fileIdentity(const std::string &path);

/// A whole regular file of up to `limit` bytes. Io error if it cannot be read,
/// Malformed if it is larger.
Result<std::vector<uint8_t>> readFile(const std::string &path,
                                      uint64_t limit = uint64_t(1) << 31);

struct WriteOptions {
  bool sync = false; ///< fsync file and folder before returning
};

/// Writes what `path` names; every file that Kiln is asked for is written here.
///
/// A regular file, and one that is not there yet, is replaced as a whole: a
/// reader sees the old or the new contents and never a part. They are written
/// to a temporary file of random name in the same folder (O_EXCL, O_NOFOLLOW),
/// which is then renamed, or removed when anything fails. What replaces a file
/// has its permission bits, a new file has those that the umask leaves.
///
/// Anything else is written through and stays what it is: devices, pipes, and
/// descriptors of this process, such as /dev/stdout, even where they lead to a
/// regular file. Symbolic links are followed, and stay as well. A pipe that
/// nobody reads any more is an error, not a signal.
Status writeFile(const std::string &path, ByteView contents,
                 WriteOptions options = {});

/// Says before the work what `writeFile` would complain about: a folder that is
/// not there or may not be written to, or a path that is a folder. Success does
/// not promise that writing will succeed.
Status checkWritable(const std::string &path);

/// Writes all bytes to an open descriptor; errors name it as `what`. A pipe
/// that nobody reads any more is an error, not a signal.
Status writeDescriptor(int descriptor, ByteView contents,
                       const std::string &what);

/// What the system says of an errno, in lower case: "no space left on device".
std::string systemMessage(int code);

/// Makes a folder and its parents with the given permission bits; success if
/// it exists.
Status createDirectories(const std::string &path, unsigned mode = 0700);

/// The GNU build id of an ELF file as lower-case hexadecimal digits. It
/// identifies the program that wrote a cache entry. Io error if the file cannot
/// be read, Malformed if it is no 64-bit little-endian ELF file or damaged,
/// Unsupported if it has no build id.
Result<std::string> readBuildId(const std::string &path);

/// The same over bytes already in memory; `what` names them in errors.
Result<std::string> readBuildId(ByteView elf, const std::string &what);

} // namespace kiln

#endif // KILN_BASE_FILESYSTEM_H
