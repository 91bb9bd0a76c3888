//===- Times.cpp - What compiling and running take -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Times.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <cmath>

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

double lstm::run::now() {
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point start = Clock::now();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double Times::getMedian() const {
  std::vector<double> sorted = calls;
  llvm::sort(sorted);
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

void lstm::run::printTimes(const Times &times, ArrayRef<Array> arguments, raw_ostream &os) {
  double median = times.getMedian();
  os << "median " << llvm::format("%.2f", median) << " us a call";
  const Array *sequence =
      llvm::find_if(arguments, [](const Array &array) { return array.getRank() >= 3; });
  if (sequence != arguments.end() && sequence->getShape()[0] > 0)
    os << ", " << llvm::format("%.3f", median / sequence->getShape()[0]) << " us a step ("
       << sequence->getShape()[0] << " steps)";
  os << '\n';
}

llvm::Error lstm::run::writeTimes(const Times &times, StringRef path) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error, llvm::sys::fs::OF_Text);
  if (error)
    return llvm::createStringError(quote(path) + ": " + error.message());
  // Nanoseconds are the clock's resolution.
  auto round = [](double microseconds) { return std::round(microseconds * 1000) / 1000; };
  llvm::json::OStream json(file, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("compile_us", round(times.parse + times.passes + times.jit));
    json.attribute("parse_us", round(times.parse));
    json.attribute("passes_us", round(times.passes));
    json.attribute("jit_us", round(times.jit));
    if (!times.packing.empty())
      json.attribute("pack_us", round(times.packing.front()));
    json.attributeArray("run_us", [&] {
      for (double call : times.calls)
        json.value(round(call));
    });
    json.attribute("median_us", round(times.getMedian()));
  });
  file << '\n';
  file.close();
  if (file.has_error()) {
    std::string message = file.error().message();
    file.clear_error();
    return llvm::createStringError(quote(path) + ": " + message);
  }
  return llvm::Error::success();
}
