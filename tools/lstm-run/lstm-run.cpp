//===- lstm-run.cpp - Compiles and runs a program -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Npz.h"
#include "Results.h"
#include "Runner.h"

#include "lstm-runtime/cpu.h"
#include "lstm/InitAll.h"
#include "lstm/Pipelines/Pipelines.h"
#include "lstm/Target/Lowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::lstm;
namespace cl = llvm::cl;

static cl::OptionCategory category("lstm-run options");

static cl::list<std::string> files(cl::Positional, cl::OneOrMore, cl::cat(category),
                                   cl::desc("FILE.mlir [further inputs]"));
static cl::opt<std::string> entry("entry", cl::init("main"), cl::cat(category),
                                  cl::desc("Function to run"), cl::value_desc("name"));
static cl::list<std::string>
    inputs("inputs", cl::cat(category), cl::value_desc("x.npz | [NAME=]a.npy ..."),
           cl::desc("Arrays for the arguments, by name or, from .npy files, in order"));
static cl::opt<std::string> outputs("outputs", cl::cat(category), cl::value_desc("y.npz"),
                                    cl::desc("Write the results"));
static cl::opt<std::string> expected("expect", cl::cat(category), cl::value_desc("y.npz"),
                                     cl::desc("Compare the results; exit 1 if they differ"));
static cl::opt<double>
    tolerance("tolerance", cl::init(1e-5), cl::cat(category),
              cl::desc("a equals an expected b if |a - b| <= tolerance * (1 + |b|)"));
static cl::opt<int64_t> repeat("repeat", cl::init(1), cl::cat(category),
                               cl::desc("Number of calls; prints the median time"));
static cl::opt<std::string> timingFile("timing-json", cl::cat(category), cl::value_desc("file"),
                                       cl::desc("Write the times of compiling and running"));
static cl::opt<bool> signatureOnly("print-signature", cl::cat(category),
                                   cl::desc("Print arguments and results, do not run"));
static cl::opt<std::string> target("target", cl::init("cpu"), cl::cat(category),
                                   cl::desc("What to run on: cpu"));
/// LLVM's shared library has an option of this name, which nothing here reads.
static bool release(StringRef name) {
  auto &options = cl::getRegisteredOptions();
  if (cl::Option *option = options.lookup(name))
    option->removeArgument();
  return true;
}
static bool threadsReleased = release("threads");
static cl::opt<int64_t>
    threads("threads", cl::cat(category),
            cl::desc("Number of threads (default: LSTM_NUM_THREADS, else OMP_NUM_THREADS, else the "
                     "number of CPUs that may be used)"));
static cl::opt<std::string> pipeline("pass-pipeline", cl::cat(category),
                                     cl::desc("Passes instead of lstm-to-llvm"));
static cl::opt<bool> noOptimize("no-optimize", cl::cat(category),
                                cl::desc("Lower every operation as it stands"));
static cl::opt<int64_t> vectorBits("vector-bits", cl::init(0), cl::cat(category),
                                   cl::desc("Width of a vector register (0: this machine's)"));
static cl::opt<MathAccuracy> activations(
    "activations", cl::init(MathAccuracy::Default), cl::cat(category),
    cl::desc("Worst error of exp, tanh, sigmoid, ... on f32"),
    cl::values(clEnumValN(MathAccuracy::Fast, "fast", "5.5 ulp"),
               clEnumValN(MathAccuracy::Default, "default", "2.5 ulp"),
               clEnumValN(MathAccuracy::Accurate, "accurate", "1 ulp")));
static cl::opt<bool> runtimeChecks("runtime-checks", cl::init(true), cl::cat(category),
                                   cl::desc("Check batch, lengths and sizes at run time"));

namespace {
/// Microseconds.
struct Times {
  double parse = 0, passes = 0, jit = 0;
  std::vector<double> packing, calls;

  double getMedian() const {
    std::vector<double> sorted = calls;
    llvm::sort(sorted);
    size_t half = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
};
} // namespace

static LogicalResult fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "lstm-run") << message << '\n';
  return failure();
}
static LogicalResult fail(llvm::Error error) {
  llvm::handleAllErrors(std::move(error),
                        [](const llvm::ErrorInfoBase &info) { (void)fail(info.message()); });
  return failure();
}

static LogicalResult checkOptions() {
  if (target == "cuda")
    return fail("target 'cuda' is not supported; the only target is 'cpu'");
  if (target != "cpu")
    return fail("unknown target '" + target + "'; the only target is 'cpu'");
  if (repeat < 1)
    return fail("expects --repeat to be 1 or more, but got " + llvm::Twine(repeat));
  if (threads.getNumOccurrences() && threads < 1)
    return fail("expects --threads to be 1 or more, but got " + llvm::Twine(threads));
  if (!(tolerance >= 0))
    return fail("expects --tolerance to be 0 or more");
  if (tolerance.getNumOccurrences() && expected.empty())
    return fail("--tolerance needs --expect");
  if (!pipeline.empty() &&
      (noOptimize || vectorBits.getNumOccurrences() || activations.getNumOccurrences() ||
       runtimeChecks.getNumOccurrences()))
    return fail("--no-optimize, --vector-bits, --activations and --runtime-checks are options of "
                "the default pipeline, --pass-pipeline replaces it");
  if (noOptimize && activations.getNumOccurrences())
    return fail("--no-optimize calls the library, --activations has no effect");
  return success();
}

/// Tells the program from the arrays: `--inputs a.npy b.npy` leaves b.npy among
/// the positional arguments.
static FailureOr<std::string> splitFiles(std::vector<std::string> &arrays) {
  std::string program;
  std::vector<std::pair<unsigned, std::string>> found;
  for (size_t i = 0; i < inputs.size(); ++i)
    found.emplace_back(inputs.getPosition(i), inputs[i]);
  for (size_t i = 0; i < files.size(); ++i) {
    StringRef file = files[i];
    if (!inputs.empty() && (file.ends_with(".npy") || file.ends_with(".npz")))
      found.emplace_back(files.getPosition(i), files[i]);
    else if (program.empty())
      program = files[i];
    else
      return fail("expects one program, but got '" + program + "' and '" + file + "'");
  }
  if (program.empty())
    return fail("expects a program FILE.mlir");
  llvm::sort(found);
  for (auto &[position, file] : found)
    arrays.push_back(std::move(file));
  return program;
}

static FailureOr<func::FuncOp> findEntry(ModuleOp module) {
  auto function = dyn_cast_or_null<func::FuncOp>(module.lookupSymbol(entry));
  if (!function || function.isDeclaration()) {
    std::vector<std::string> names;
    for (auto other : module.getOps<func::FuncOp>())
      if (!other.isDeclaration())
        names.push_back(("'" + other.getSymName() + "'").str());
    return fail("no function " + run::quote(entry) + " with a body; there is " +
                (names.empty() ? "none" : llvm::join(names, ", ")));
  }
  return function;
}

static LogicalResult writeTimes(const Times &times) {
  std::error_code error;
  llvm::raw_fd_ostream file(timingFile, error, llvm::sys::fs::OF_Text);
  if (error)
    return fail(run::quote(timingFile) + ": " + error.message());
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
    return fail(run::quote(timingFile) + ": " + message);
  }
  return success();
}

/// The time of a call, and of a step: the first argument of rank 3 or more is
/// taken to be a sequence.
static void printTimes(const Times &times, ArrayRef<run::Array> arguments) {
  double median = times.getMedian();
  llvm::errs() << "median " << llvm::format("%.2f", median) << " us a call";
  const run::Array *sequence =
      llvm::find_if(arguments, [](const run::Array &array) { return array.getRank() >= 3; });
  if (sequence != arguments.end() && sequence->getShape()[0] > 0)
    llvm::errs() << ", " << llvm::format("%.3f", median / sequence->getShape()[0]) << " us a step ("
                 << sequence->getShape()[0] << " steps)";
  llvm::errs() << '\n';
}

namespace {
/// What is called: the entry, or a function that packs its weights and one that takes
/// them packed. Both say which of the entry's arguments they take.
struct Calls {
  std::vector<Signature> functions;
  std::vector<std::vector<int64_t>> arguments;
};
} // namespace

static FailureOr<Calls> getCalls(ModuleOp module, const Signature &entry, llvm::SourceMgr &source) {
  Calls calls;
  for (StringRef suffix : {"_pack", "_packed"}) {
    auto function = module.lookupSymbol<func::FuncOp>(entry.name + suffix.str());
    auto numbers = function ? function->getAttrOfType<DenseI64ArrayAttr>("lstm.arguments") : nullptr;
    if (!numbers)
      continue;
    FailureOr<Signature> signature = getSignature(function, source);
    if (failed(signature))
      return failure();
    calls.functions.push_back(*signature);
    calls.arguments.push_back(numbers.asArrayRef().vec());
  }
  if (calls.functions.size() != 2) {
    calls = {{entry}, {std::vector<int64_t>(entry.arguments.size())}};
    std::iota(calls.arguments.front().begin(), calls.arguments.front().end(), 0);
  }
  for (const Signature &signature : calls.functions)
    module.lookupSymbol(signature.name)
        ->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), UnitAttr::get(module.getContext()));
  return calls;
}

static llvm::Expected<std::vector<run::NamedArray>>
callFunctions(run::CompiledModule &compiled, const Calls &calls, ArrayRef<run::Array> arguments,
              Times &times) {
  auto take = [&](size_t number) {
    return llvm::map_to_vector(calls.arguments[number],
                               [&](int64_t i) -> const run::Array * { return &arguments[i]; });
  };
  if (calls.functions.size() == 1)
    return compiled.call(0, take(0), repeat, times.calls);
  auto packed = compiled.call(0, take(0), 1, times.packing);
  if (!packed)
    return packed;
  auto rest = take(1);
  for (const run::NamedArray &array : *packed)
    rest.push_back(&array.array);
  return compiled.call(1, rest, repeat, times.calls);
}

static LogicalResult runProgram() {
  if (failed(checkOptions()))
    return failure();
  std::vector<std::string> arrayFiles;
  FailureOr<std::string> program = splitFiles(arrayFiles);
  if (failed(program))
    return failure();

  Times times;
  double start = run::now();
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(*program, &message);
  if (!buffer)
    return fail(message);
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  SourceMgrDiagnosticHandler diagnostics(source, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(source, &context);
  if (!module)
    return failure();
  FailureOr<func::FuncOp> function = findEntry(*module);
  if (failed(function))
    return failure();
  FailureOr<Signature> signature = getSignature(*function, source);
  if (failed(signature))
    return failure();
  times.parse = run::now() - start;
  if (signatureOnly) {
    printSignature(*signature, llvm::outs());
    return success();
  }
  auto arguments = run::readArguments(signature->arguments, entry, arrayFiles);
  if (!arguments)
    return fail(arguments.takeError());

  start = run::now();
  LSTMToLLVMOptions options;
  options.optimize = !noOptimize;
  options.vectorBits = vectorBits;
  options.activations = activations;
  options.runtimeChecks = runtimeChecks;
  // Calls with the same weights pack them once.
  options.splitPacking = repeat > 1;
  if (!pipeline.empty())
    registerAllPasses();
  LogicalResult isLowered = pipeline.empty() ? optimizeFunctions(*module, *function, options)
                                             : success();
  if (failed(isLowered))
    return failure();
  FailureOr<Calls> calls = getCalls(*module, *signature, source);
  if (failed(calls) || failed(pipeline.empty() ? lowerFunctions(*module, options)
                                               : runPipeline(*module, *function, pipeline)))
    return failure();
  times.passes = run::now() - start;

  start = run::now();
  auto compiled = run::CompiledModule::compile(*module, calls->functions, !noOptimize);
  if (!compiled)
    return fail(compiled.takeError());
  times.jit = run::now() - start;

  lstmSetThreadCount(threads);
  auto results = callFunctions(**compiled, *calls, *arguments, times);
  if (!results)
    return fail(results.takeError());
  if (repeat.getNumOccurrences())
    printTimes(times, *arguments);
  if (!timingFile.empty() && failed(writeTimes(times)))
    return failure();
  if (!outputs.empty())
    if (llvm::Error error = run::writeNpz(outputs, *results))
      return fail(std::move(error));
  if (!expected.empty())
    if (llvm::Error error = run::compareWithFile(*results, expected, tolerance))
      return fail(std::move(error));
  if (outputs.empty() && expected.empty())
    run::printArrays(*results, llvm::outs());
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "lstm-mlir: compile and run a program\n");
  return succeeded(runProgram()) ? EXIT_SUCCESS : EXIT_FAILURE;
}
