//===- Npz.cpp - Files of arrays -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Npz.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

#include <cstdio>
#include <unistd.h>
#include <zip.h>

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

/// More arrays than any function has arguments.
static constexpr zip_int64_t maxMembers = 4096;
/// What deflate can shrink at most.
static constexpr uint64_t maxDeflateRatio = 1032;

/// The memory that the arrays of one file may take.
static uint64_t getMemoryLimit() {
  return uint64_t(std::max(sysconf(_SC_PHYS_PAGES), 1L)) *
         uint64_t(std::max(sysconf(_SC_PAGESIZE), 1L)) / 2;
}

static llvm::Error tooLarge(uint64_t bytes) {
  return llvm::createStringError("its arrays take " + llvm::Twine(bytes) +
                                 " bytes, more than half of the memory");
}

//===----------------------------------------------------------------------===//
// .npy files
//===----------------------------------------------------------------------===//

namespace {
struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

class FileStream : public ByteStream {
public:
  FileStream(File file, uint64_t size) : ByteStream(size), file(std::move(file)) {}

private:
  llvm::Expected<uint64_t> readSome(char *memory, uint64_t bytes) override {
    size_t count = std::fread(memory, 1, bytes, file.get());
    if (count == 0 && std::ferror(file.get()))
      return llvm::createStringError("cannot be read");
    return count;
  }

  File file;
};

class NpyFile : public ArrayFile {
public:
  NpyFile(StringRef path, File file, uint64_t size)
      : ArrayFile(path), file(std::move(file)), size(size) {
    names.emplace_back();
  }

  bool isArchive() const override { return false; }

  llvm::Expected<std::unique_ptr<ByteStream>> openMember(size_t) override {
    return std::make_unique<FileStream>(std::move(file), size);
  }

private:
  File file;
  uint64_t size;
};
} // namespace

//===----------------------------------------------------------------------===//
// .npz archives
//===----------------------------------------------------------------------===//

static std::string describe(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

namespace {
struct DiscardZip {
  void operator()(zip_t *zip) const { zip_discard(zip); }
};
using Zip = std::unique_ptr<zip_t, DiscardZip>;

struct CloseMember {
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
using Member = std::unique_ptr<zip_file_t, CloseMember>;

class MemberStream : public ByteStream {
public:
  MemberStream(Member member, uint64_t size) : ByteStream(size), member(std::move(member)) {}

private:
  llvm::Expected<uint64_t> readSome(char *memory, uint64_t bytes) override {
    zip_int64_t count = zip_fread(member.get(), memory, bytes);
    if (count < 0)
      return llvm::createStringError(llvm::Twine("cannot be unpacked: ") +
                                     zip_file_strerror(member.get()));
    return count;
  }

  Member member;
};

class NpzFile : public ArrayFile {
public:
  NpzFile(StringRef path, Zip zip) : ArrayFile(path), zip(std::move(zip)) {}

  bool isArchive() const override { return true; }

  /// Reads the directory. What it claims must fit the file's size.
  llvm::Error readDirectory(uint64_t fileSize);

  llvm::Expected<std::unique_ptr<ByteStream>> openMember(size_t position) override {
    Member member(zip_fopen_index(zip.get(), position, 0));
    if (!member)
      return llvm::createStringError(llvm::Twine("cannot be unpacked: ") + zip_strerror(zip.get()));
    return std::make_unique<MemberStream>(std::move(member), sizes[position]);
  }

private:
  Zip zip;
  std::vector<uint64_t> sizes;
};
} // namespace

llvm::Error NpzFile::readDirectory(uint64_t fileSize) {
  zip_int64_t count = zip_get_num_entries(zip.get(), 0);
  if (count < 0 || count > maxMembers)
    return llvm::createStringError("it has " + llvm::Twine(count) + " members; at most " +
                                   llvm::Twine(maxMembers) + " are read");
  llvm::StringSet<> seen;
  uint64_t total = 0, totalPacked = 0;
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                    ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(zip.get(), i, 0, &stat) != 0 || (stat.valid & needed) != needed)
      return llvm::createStringError("the archive's directory is incomplete");
    std::string member = quote(stat.name);
    if (stat.encryption_method != ZIP_EM_NONE)
      return llvm::createStringError("member " + member + " is encrypted");
    uint64_t most = stat.comp_size;
    if (stat.comp_method == ZIP_CM_DEFLATE)
      most = llvm::SaturatingMultiply<uint64_t>(most, maxDeflateRatio);
    else if (stat.comp_method != ZIP_CM_STORE)
      return llvm::createStringError("member " + member + " is neither stored nor deflated");
    // Packed sizes that exceed the file's are members that lie over each other.
    totalPacked = llvm::SaturatingAdd<uint64_t>(totalPacked, stat.comp_size);
    total = llvm::SaturatingAdd<uint64_t>(total, stat.size);
    if (stat.size > most || totalPacked > fileSize)
      return llvm::createStringError("member " + member + " claims " + llvm::Twine(stat.size) +
                                     " bytes, more than the file can hold");
    StringRef name = stat.name;
    name.consume_back(".npy");
    if (!seen.insert(name).second)
      return llvm::createStringError("it holds " + quote(name) + " twice");
    names.push_back(name.str());
    sizes.push_back(stat.size);
  }
  if (total > getMemoryLimit())
    return tooLarge(total);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<ArrayFile>> ArrayFile::open(StringRef path) {
  auto fail = [&](const llvm::Twine &what) {
    return llvm::createStringError(quote(path) + ": " + what);
  };
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return fail(error.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return fail("not a regular file");
  std::string name = path.str();
  File file(std::fopen(name.c_str(), "rb"));
  if (!file)
    return fail("cannot be opened");

  char start[6] = {};
  size_t count = std::fread(start, 1, sizeof(start), file.get());
  StringRef magic(start, count);
  if (magic == StringRef("\x93NUMPY", 6)) {
    if (status.getSize() > getMemoryLimit())
      return fail(llvm::toString(tooLarge(status.getSize())));
    std::rewind(file.get());
    return std::make_unique<NpyFile>(path, std::move(file), status.getSize());
  }
  // A member's header, or the end of an archive without members.
  if (!magic.starts_with(StringRef("PK\3\4", 4)) && !magic.starts_with(StringRef("PK\5\6", 4)))
    return fail("neither a .npz archive nor a .npy file");

  int code = 0;
  Zip zip(zip_open(name.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  if (!zip)
    return fail("not a sound .npz archive: " + describe(code));
  auto archive = std::make_unique<NpzFile>(path, std::move(zip));
  if (llvm::Error error = archive->readDirectory(status.getSize()))
    return fail(llvm::toString(std::move(error)));
  return archive;
}

llvm::Error lstm::run::writeNpz(StringRef path, ArrayRef<NamedArray> arrays) {
  auto fail = [&](const llvm::Twine &what) {
    return llvm::createStringError(quote(path) + ": cannot be written: " + what);
  };
  int code = 0;
  Zip zip(zip_open(path.str().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (!zip)
    return fail(describe(code));
  // libzip reads the sources when it closes the archive.
  std::vector<std::string> headers;
  headers.reserve(arrays.size());
  for (const auto &[name, array] : arrays) {
    headers.push_back(makeNpyHeader(array));
    zip_buffer_fragment_t fragments[] = {
        {reinterpret_cast<zip_uint8_t *>(headers.back().data()), headers.back().size()},
        {reinterpret_cast<zip_uint8_t *>(array.getData()), array.getNumBytes()}};
    zip_source_t *source =
        zip_source_buffer_fragment(zip.get(), fragments, array.getNumBytes() ? 2 : 1, 0);
    if (!source)
      return fail(zip_strerror(zip.get()));
    zip_int64_t index = zip_file_add(zip.get(), (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return fail(zip_strerror(zip.get()));
    }
    // 1980-01-01, the earliest date that the format knows.
    if (zip_set_file_compression(zip.get(), index, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(zip.get(), index, 0, (1 << 5) | 1, 0) != 0)
      return fail(zip_strerror(zip.get()));
  }
  // An archive without members is no file in libzip's eyes.
  if (arrays.empty())
    return fail("the function has no results");
  if (zip_close(zip.get()) != 0)
    return fail(zip_strerror(zip.get()));
  (void)zip.release();
  return llvm::Error::success();
}
