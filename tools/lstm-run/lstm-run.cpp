//===- lstm-run.cpp - Compiles and runs a program -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "CFunction.h"
#include "CProgram.h"
#include "Npz.h"
#include "Results.h"
#include "Runner.h"
#include "Times.h"

#include "GPUOptions.h"

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
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <numeric>

using namespace mlir;
using namespace mlir::lstm;
namespace cl = llvm::cl;

static cl::OptionCategory category("lstm-run options");

static cl::list<std::string> files(cl::Positional, cl::OneOrMore, cl::cat(category),
                                   cl::desc("FILE.mlir|LIBRARY.so [further inputs]"));
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
static cl::opt<std::string> target("target", cl::cat(category),
                                   cl::desc("What to compile for: cpu (default) or cuda; a library "
                                            "has its own"));
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
static GPUOptions gpuOptions;

static LogicalResult fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "lstm-run") << message << '\n';
  return failure();
}
static LogicalResult fail(llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [](const run::CheckFailed &check) { llvm::errs() << check.message() << '\n'; },
      [](const llvm::ErrorInfoBase &info) { (void)fail(info.message()); });
  return failure();
}

static Platform getPlatform() { return target == "cuda" ? Platform::CUDA : Platform::CPU; }

static LogicalResult checkOptions() {
  if (target.getNumOccurrences() && target != "cpu" && target != "cuda")
    return fail("unknown target '" + target + "'; the targets are 'cpu' and 'cuda'");
  if (repeat < 1)
    return fail("expects --repeat to be 1 or more, but got " + llvm::Twine(repeat));
  if (threads.getNumOccurrences() && threads < 1)
    return fail("expects --threads to be 1 or more, but got " + llvm::Twine(threads));
  if (!(tolerance >= 0))
    return fail("expects --tolerance to be 0 or more");
  if (tolerance.getNumOccurrences() && expected.empty())
    return fail("--tolerance needs --expect");
  return success();
}

/// What compiling for the target has no use for.
static LogicalResult checkCompileOptions() {
  if (std::string problem = gpuOptions.check(getPlatform()); !problem.empty())
    return fail(problem);
  if (getPlatform() == Platform::CUDA)
    for (const cl::Option *option :
         std::initializer_list<const cl::Option *>{&threads, &vectorBits, &pipeline})
      if (option->getNumOccurrences())
        return fail("--" + option->ArgStr + " is for --target=cpu");
  if (!pipeline.empty() &&
      (noOptimize || vectorBits.getNumOccurrences() || activations.getNumOccurrences() ||
       runtimeChecks.getNumOccurrences()))
    return fail("--no-optimize, --vector-bits, --activations and --runtime-checks are options of "
                "the default pipeline, --pass-pipeline replaces it");
  if (noOptimize && activations.getNumOccurrences())
    return fail("--no-optimize calls the library, --activations has no effect");
  if (noOptimize && gpuOptions.strategy.getNumOccurrences())
    return fail("--no-optimize is --strategy=naive, give one of them");
  return success();
}

/// What a library has no use for: it is compiled.
static LogicalResult checkLibraryOptions(StringRef path, Platform platform) {
  if (target.getNumOccurrences() && getPlatform() != platform)
    return fail(run::quote(path) + " is compiled for '" +
                (platform == Platform::CUDA ? "cuda" : "cpu") + "', not for '" + target + "'");
  if (platform == Platform::CUDA && threads.getNumOccurrences())
    return fail("--threads is for --target=cpu");
  std::vector<const cl::Option *> compileOptions = {&pipeline, &noOptimize, &vectorBits,
                                                    &activations, &runtimeChecks};
  llvm::append_range(compileOptions, gpuOptions.getAll());
  for (const cl::Option *option : compileOptions)
    if (option->getNumOccurrences())
      return fail("--" + option->ArgStr + " is for compiling, but " + run::quote(path) +
                  " is compiled already");
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
    return fail("expects a program, FILE.mlir or LIBRARY.so");
  llvm::sort(found);
  for (auto &[position, file] : found)
    arrays.push_back(std::move(file));
  return program;
}

static std::string list(ArrayRef<std::string> names) {
  return names.empty() ? "none" : llvm::join(names, ", ");
}

static FailureOr<func::FuncOp> findEntry(ModuleOp module) {
  auto function = dyn_cast_or_null<func::FuncOp>(module.lookupSymbol(entry));
  if (!function || function.isDeclaration()) {
    std::vector<std::string> names;
    for (auto other : module.getOps<func::FuncOp>())
      if (!other.isDeclaration())
        names.push_back(run::quote(other.getSymName()));
    return fail("no function " + run::quote(entry) + " with a body; there is " + list(names));
  }
  return function;
}

namespace {
/// What is called: the entry, or a function that packs its weights and one that takes
/// them packed. Both say which of the entry's arguments they take.
struct Calls {
  struct Function {
    /// In the program.
    size_t number;
    std::vector<int64_t> arguments;
  };
  std::vector<Function> functions;
};
} // namespace

static Calls callEntry(size_t number, const Signature &signature) {
  std::vector<int64_t> arguments(signature.arguments.size());
  std::iota(arguments.begin(), arguments.end(), 0);
  return {{{number, arguments}}};
}

static llvm::Expected<std::vector<run::NamedArray>> callFunctions(run::Program &program,
                                                                  const Calls &calls,
                                                                  ArrayRef<run::Array> arguments,
                                                                  run::Times &times) {
  auto take = [&](const Calls::Function &function) {
    return llvm::map_to_vector(function.arguments,
                               [&](int64_t i) -> const run::Array * { return &arguments[i]; });
  };
  const Calls::Function &first = calls.functions.front(), &last = calls.functions.back();
  if (calls.functions.size() == 1)
    return program.call(first.number, take(first), repeat, times.calls);
  auto packed = program.call(first.number, take(first), 1, times.packing);
  if (!packed)
    return packed;
  auto rest = take(last);
  for (const run::NamedArray &array : *packed)
    rest.push_back(&array.array);
  return program.call(last.number, rest, repeat, times.calls);
}

/// Calls what is compiled, and does what the user wants with times and results.
static LogicalResult runCalls(run::Program &program, const Calls &calls,
                              ArrayRef<run::Array> arguments, run::Times &times) {
  auto results = callFunctions(program, calls, arguments, times);
  if (!results)
    return fail(results.takeError());
  if (repeat.getNumOccurrences())
    run::printTimes(times, arguments, llvm::errs());
  if (!timingFile.empty())
    if (llvm::Error error = run::writeTimes(times, timingFile))
      return fail(std::move(error));
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

//===----------------------------------------------------------------------===//
// A library
//===----------------------------------------------------------------------===//

static FailureOr<size_t> findEntry(const ProgramTable &table) {
  std::vector<std::string> names;
  for (auto [i, candidate] : llvm::enumerate(table.entries)) {
    if (candidate.signature.name == entry)
      return i;
    names.push_back(run::quote(candidate.signature.name));
  }
  return fail("no function " + run::quote(entry) + "; there is " + list(names));
}

/// Finds `@entry_pack` and `@entry_packed`, whose ports have the names of the entry's, and
/// "packed0", ... between them.
static Calls getCalls(const ProgramTable &table, size_t number) {
  const Signature &signature = table.entries[number].signature;
  auto getNumber = [&](const Port &port) {
    auto same = [&](const Port &argument) { return argument.name == port.name; };
    return llvm::find_if(signature.arguments, same) - signature.arguments.begin();
  };
  Calls calls;
  for (StringRef suffix : {"_pack", "_packed"})
    for (auto [i, candidate] : llvm::enumerate(table.entries)) {
      if (candidate.signature.name != signature.name + suffix.str())
        continue;
      Calls::Function &function = calls.functions.emplace_back(Calls::Function{i, {}});
      for (const Port &port : candidate.signature.arguments)
        function.arguments.push_back(getNumber(port));
    }
  if (calls.functions.size() != 2)
    return callEntry(number, signature);
  Calls::Function &pack = calls.functions[0], &packed = calls.functions[1];
  ArrayRef<Port> weights = table.entries[pack.number].signature.results;
  ArrayRef<Port> taken = table.entries[packed.number].signature.arguments;
  auto areSame = [](const Port &a, const Port &b) { return a.name == b.name && a.type == b.type; };
  int64_t numArguments = signature.arguments.size();
  if (taken.size() < weights.size() ||
      !std::equal(weights.begin(), weights.end(), taken.end() - weights.size(), areSame))
    return callEntry(number, signature);
  packed.arguments.resize(taken.size() - weights.size());
  if (llvm::is_contained(pack.arguments, numArguments) ||
      llvm::is_contained(packed.arguments, numArguments))
    return callEntry(number, signature);
  return calls;
}

static LogicalResult runLibrary(StringRef path, ArrayRef<std::string> arrayFiles) {
  run::Times times;
  double start = run::now();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  auto table = run::readLibraryTable(path, &context);
  if (!table)
    return fail(table.takeError());
  if (failed(checkLibraryOptions(path, table->platform)))
    return failure();
  FailureOr<size_t> number = findEntry(*table);
  if (failed(number))
    return failure();
  const Signature &signature = table->entries[*number].signature;
  if (signatureOnly) {
    printSignature(signature, llvm::outs());
    return success();
  }
  times.parse = run::now() - start;
  auto arguments = run::readArguments(signature.arguments, entry, arrayFiles);
  if (!arguments)
    return fail(arguments.takeError());

  start = run::now();
  auto load = [&]() -> llvm::Expected<std::unique_ptr<run::Program>> {
    std::unique_ptr<run::Session> session;
    if (table->platform == Platform::CUDA) {
      auto made = run::Session::create();
      if (!made)
        return made.takeError();
      session = std::move(*made);
    }
    auto code = run::loadLibrary(path);
    if (!code)
      return code.takeError();
    return session ? run::createGPUProgram(std::move(*code), *table, std::move(session))
                   : run::createCPUProgram(std::move(*code), *table, threads);
  };
  auto program = load();
  if (!program)
    return fail(program.takeError());
  times.parse += run::now() - start;
  // As for a file: what is called once packs its weights itself.
  Calls calls = repeat > 1 ? getCalls(*table, *number) : callEntry(*number, signature);
  return runCalls(**program, calls, *arguments, times);
}

//===----------------------------------------------------------------------===//
// A file
//===----------------------------------------------------------------------===//

/// Also asks for the functions' C interfaces.
static FailureOr<Calls> getCalls(ModuleOp module, const Signature &entry, llvm::SourceMgr &source,
                                 std::vector<Signature> &signatures) {
  Calls calls;
  for (StringRef suffix : {"_pack", "_packed"}) {
    auto function = module.lookupSymbol<func::FuncOp>(entry.name + suffix.str());
    auto numbers = function ? function->getAttrOfType<DenseI64ArrayAttr>("lstm.arguments") : nullptr;
    if (!numbers)
      continue;
    FailureOr<Signature> signature = getSignature(function, source);
    if (failed(signature))
      return failure();
    calls.functions.push_back({signatures.size(), numbers.asArrayRef().vec()});
    signatures.push_back(*signature);
  }
  if (calls.functions.size() != 2) {
    calls = callEntry(0, entry);
    signatures = {entry};
  }
  for (const Signature &signature : signatures)
    module.lookupSymbol(signature.name)
        ->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), UnitAttr::get(module.getContext()));
  return calls;
}

static LogicalResult runOnCPU(ModuleOp module, func::FuncOp function, const Signature &signature,
                              llvm::SourceMgr &source, ArrayRef<run::Array> arguments,
                              run::Times &times) {
  double start = run::now();
  LSTMToLLVMOptions options;
  options.optimize = !noOptimize;
  options.vectorBits = vectorBits;
  options.activations = activations;
  options.runtimeChecks = runtimeChecks;
  // Calls with the same weights pack them once.
  options.splitPacking = repeat > 1;
  if (!pipeline.empty())
    registerAllPasses();
  if (pipeline.empty() && failed(optimizeFunctions(module, function, options)))
    return failure();
  std::vector<Signature> signatures;
  FailureOr<Calls> calls = getCalls(module, signature, source, signatures);
  if (failed(calls) || failed(pipeline.empty() ? lowerFunctions(module, options)
                                               : runPipeline(module, function, pipeline)))
    return failure();
  times.passes = run::now() - start;

  start = run::now();
  auto compiled = run::CompiledModule::compile(module, signatures, !noOptimize);
  if (!compiled)
    return fail(compiled.takeError());
  times.jit = run::now() - start;
  lstmSetThreadCount(threads);
  return runCalls(**compiled, *calls, arguments, times);
}

static LogicalResult runOnGPU(ModuleOp module, func::FuncOp function, const Signature &signature,
                              llvm::SourceMgr &source, ArrayRef<run::Array> arguments,
                              run::Times &times) {
  // Nothing is compiled for a machine without a GPU.
  auto session = run::Session::create();
  if (!session)
    return fail(session.takeError());
  double start = run::now();
  LSTMToNVVMOptions options;
  gpuOptions.get(options, !noOptimize);
  options.activations = activations;
  options.runtimeChecks = runtimeChecks;
  FailureOr<CInterface> interface =
      getCInterface(module, function, "lstm_run", Platform::CUDA, source);
  if (failed(interface) || failed(lowerFunctionsForGPU(module, function, options)) ||
      failed(addCInterface(module, *interface)))
    return failure();
  times.passes = run::now() - start;

  start = run::now();
  auto code = run::compileCode(module, !noOptimize);
  if (!code)
    return fail(code.takeError());
  ProgramTable table{Platform::CUDA, interface->prefix,
                     {{signature, interface->getSymbol(signature.name)}}};
  auto program = run::createGPUProgram(std::move(*code), table, std::move(*session));
  if (!program)
    return fail(program.takeError());
  times.jit = run::now() - start;
  return runCalls(**program, callEntry(0, signature), arguments, times);
}

static LogicalResult runFile(const std::string &path, ArrayRef<std::string> arrayFiles) {
  if (failed(checkCompileOptions()))
    return failure();
  run::Times times;
  double start = run::now();
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer)
    return fail(message);
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  DialectRegistry registry;
  registerAllDialects(registry);
  // As lstm-compile has it.
  MLIRContext context(registry, getPlatform() == Platform::CUDA ? MLIRContext::Threading::ENABLED
                                                                : MLIRContext::Threading::DISABLED);
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
  return getPlatform() == Platform::CUDA
             ? runOnGPU(*module, *function, *signature, source, *arguments, times)
             : runOnCPU(*module, *function, *signature, source, *arguments, times);
}

static LogicalResult runProgram() {
  if (failed(checkOptions()))
    return failure();
  std::vector<std::string> arrayFiles;
  FailureOr<std::string> program = splitFiles(arrayFiles);
  if (failed(program))
    return failure();
  return run::isLibrary(*program) ? runLibrary(*program, arrayFiles) : runFile(*program, arrayFiles);
}

static constexpr StringLiteral overview =
    R"(lstm-mlir: run a program

  lstm-run model.mlir --inputs x.npz weights.npz --outputs y.npz
  lstm-run libmodel.so --inputs x.npz weights.npz --outputs y.npz

compiles a file and runs a function of it, or runs one of a library that lstm-compile made.
Programs for GPUs, --target=cuda or such a library, need CUDA's driver and cuBLAS.
)";

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions({&category, &gpuOptions.category});
  cl::ParseCommandLineOptions(argc, argv, overview);
  return succeeded(runProgram()) ? EXIT_SUCCESS : EXIT_FAILURE;
}
