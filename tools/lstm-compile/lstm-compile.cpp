//===- lstm-compile.cpp - Compiles a program -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Link.h"

#include "GPUOptions.h"

#include "lstm/InitAll.h"
#include "lstm/Pipelines/Pipelines.h"
#include "lstm/Target/CInterface.h"
#include "lstm/Target/CPUTarget.h"
#include "lstm/Target/Lowering.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::lstm;
namespace cl = llvm::cl;

static constexpr StringLiteral overview =
    R"(lstm-mlir: compile a program into a library for C

  lstm-compile model.mlir -o libmodel.so --header model.h

makes a library with a C function for each public function of the program, and the header
that declares them. The library needs libc and libm, no part of LLVM. --emit=obj leaves
linking to you: with libLSTMCPURuntime.a, or with its sources in share/lstm/runtime/cpu, and
-lm -pthread. With --target=cuda it needs liblstm_cuda_runtime.so, which it looks for in its own
folder, and, when it is called, CUDA's driver and cuBLAS.
)";

static cl::OptionCategory category("lstm-compile options");

static cl::opt<std::string> file(cl::Positional, cl::Required, cl::cat(category),
                                 cl::desc("FILE.mlir"));
static cl::opt<std::string> output("o", cl::init("-"), cl::cat(category), cl::value_desc("file"),
                                   cl::desc("Output; '-' is standard output"));
static cl::opt<std::string> headerFile("header", cl::cat(category), cl::value_desc("model.h"),
                                       cl::desc("Write the header of the C interface"));
static cl::opt<std::string>
    emit("emit", cl::cat(category), cl::value_desc("mlir|llvm|asm|obj|so|ptx"),
         cl::desc("What to write (default: by the output's name .mlir, .ll, .s, .o, .so or .ptx)"));
static cl::list<std::string> entryNames("entry", cl::cat(category), cl::value_desc("name"),
                                        cl::desc("Function of the C interface; may be repeated "
                                                 "(default: all public functions)"));
static cl::opt<std::string>
    prefix("prefix", cl::cat(category), cl::value_desc("name"),
           cl::desc("What the names of the C functions begin with (default: from the output's name, "
                    "'model' for libmodel.so)"));
static cl::opt<std::string> targetName("target", cl::init("cpu"), cl::cat(category),
                                       cl::desc("What to compile for: cpu (default) or cuda"));
static cl::opt<std::string> triple("triple", cl::cat(category),
                                   cl::desc("x86_64 or aarch64 triple, such as aarch64-linux-gnu "
                                            "(default: this machine's)"));
static cl::opt<std::string>
    cpu("cpu", cl::cat(category), cl::value_desc("native|name"),
        cl::desc("CPU, such as haswell (default: native, which is this machine's; for another "
                 "triple generic)"));
static cl::opt<std::string> features("features", cl::cat(category), cl::value_desc("+a,-b"),
                                     cl::desc("Features to add to those of the CPU"));
static cl::opt<char> level("O", cl::Prefix, cl::init('3'), cl::cat(category), cl::value_desc("0-3"),
                           cl::desc("Effort; 0 lowers every operation as it stands (default: 3)"));
static cl::opt<bool> runtimeChecks("runtime-checks", cl::init(true), cl::cat(category),
                                   cl::desc("Check batch, lengths and sizes at run time"));
static cl::opt<std::string>
    prepare("prepare", cl::cat(category), cl::value_desc("builtin.module(...)"),
            cl::desc("Passes to run before the public functions are looked up"));
static cl::opt<std::string> compiler("cc", cl::cat(category), cl::value_desc("program"),
                                     cl::desc("C compiler that links a library (default: cc, or "
                                              "the triple's gcc)"));
static GPUOptions gpuOptions;

static LogicalResult fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "lstm-compile") << message << '\n';
  return failure();
}
static LogicalResult fail(llvm::Error error) {
  llvm::handleAllErrors(std::move(error),
                        [](const llvm::ErrorInfoBase &info) { (void)fail(info.message()); });
  return failure();
}

enum class Emit { MLIR, LLVM, Asm, Obj, SO, PTX };

static FailureOr<Emit> getEmit() {
  if (!emit.empty()) {
    auto kind = llvm::StringSwitch<std::optional<Emit>>(emit)
                    .Case("mlir", Emit::MLIR)
                    .Case("llvm", Emit::LLVM)
                    .Case("asm", Emit::Asm)
                    .Case("obj", Emit::Obj)
                    .Case("so", Emit::SO)
                    .Case("ptx", Emit::PTX)
                    .Default(std::nullopt);
    if (!kind)
      return fail("expects --emit to be mlir, llvm, asm, obj, so or ptx, but got '" + emit + "'");
    return *kind;
  }
  return llvm::StringSwitch<Emit>(llvm::sys::path::extension(output))
      .Case(".mlir", Emit::MLIR)
      .Case(".ll", Emit::LLVM)
      .Case(".s", Emit::Asm)
      .Case(".o", Emit::Obj)
      .Case(".ptx", Emit::PTX)
      .Default(Emit::SO);
}

static FailureOr<std::string> getPrefix() {
  if (prefix.getNumOccurrences()) {
    if (prefix.empty() || getCIdentifier(prefix) != prefix)
      return fail("expects --prefix to be a name in C, but got '" + prefix + "'");
    return prefix.getValue();
  }
  StringRef path = output == "-" ? StringRef(file) : StringRef(output);
  StringRef stem = llvm::sys::path::stem(path);
  if (stem.size() > 3 && path.ends_with(".so"))
    (void)stem.consume_front("lib");
  return getCIdentifier(stem);
}

static Platform getPlatform() { return targetName == "cuda" ? Platform::CUDA : Platform::CPU; }

static LogicalResult checkOptions(Emit kind) {
  if (targetName != "cpu" && targetName != "cuda")
    return fail("unknown target '" + targetName + "'; the targets are 'cpu' and 'cuda'");
  if (targetName == "cpu" && kind == Emit::PTX)
    return fail("--emit=ptx is for --target=cuda");
  if (std::string problem = gpuOptions.check(getPlatform()); !problem.empty())
    return fail(problem);
  if (kind == Emit::PTX && gpuOptions.chips.size() > 1)
    return fail("--emit=ptx writes code for one GPU, but --chip names " +
                llvm::Twine(gpuOptions.chips.size()));
  if (level < '0' || level > '3')
    return fail("expects -O0, -O1, -O2 or -O3, but got '-O" + llvm::Twine(level) + "'");
  if (output == "-" && (kind == Emit::Obj || kind == Emit::SO))
    return fail(kind == Emit::Obj ? "an object needs a file: -o FILE.o"
                                  : "a library needs a file: -o FILE.so");
  if (!compiler.empty() && kind != Emit::SO)
    return fail("--cc is for linking, --emit=so");
  return success();
}

static std::string quote(StringRef text) { return ("'" + text + "'").str(); }

static std::vector<func::FuncOp> getPublicFunctions(ModuleOp module) {
  std::vector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() && function.isPublic())
      functions.push_back(function);
  return functions;
}

/// The functions that the user wants C to see.
static FailureOr<std::vector<func::FuncOp>> findEntries(ModuleOp module) {
  std::vector<func::FuncOp> entries = getPublicFunctions(module);
  std::vector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration())
      names.push_back(quote(function.getSymName()));
  std::string there = "; there is " + (names.empty() ? "none" : llvm::join(names, ", "));
  if (entryNames.empty()) {
    if (entries.empty())
      return fail("no public function with a body" + there);
    return entries;
  }
  entries.clear();
  for (const std::string &name : entryNames) {
    auto function = dyn_cast_or_null<func::FuncOp>(module.lookupSymbol(name));
    if (!function || function.isDeclaration())
      return fail("no function " + quote(name) + " with a body" + there);
    if (llvm::is_contained(entries, function))
      return fail("function " + quote(name) + " is named twice");
    entries.push_back(function);
  }
  return entries;
}

/// Passes that make public functions.
static LogicalResult runPreparation(ModuleOp module) {
  if (prepare.empty())
    return success();
  registerAllPasses();
  FailureOr<OpPassManager> parsed = parsePassPipeline(prepare);
  if (failed(parsed))
    return failure();
  PassManager pm(module.getContext(), module.getOperationName());
  if (parsed->getOpAnchorName() != pm.getOpAnchorName())
    return fail("expects --prepare to be one of 'builtin.module(...)'");
  static_cast<OpPassManager &>(pm) = std::move(*parsed);
  return pm.run(module);
}

/// What generated code calls is the runtime's, which returns a status.
static void redirectCalls(llvm::Module &module,
                          ArrayRef<std::pair<StringRef, StringRef>> functions) {
  for (auto [from, to] : functions)
    if (llvm::Function *function = module.getFunction(from); function && function->isDeclaration()) {
      function->setName(to);
      // What holds for libc's: these may leave the caller.
      function->setAttributes({});
    }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", machine.getTargetCPU());
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    }
  redirectCalls(module, {{"puts", "lstmAssertMessage"}, {"abort", "lstmAssertFailed"}});
  if (level != '0')
    optimizeModule(module, &machine,
                   level == '1'   ? llvm::OptimizationLevel::O1
                   : level == '2' ? llvm::OptimizationLevel::O2
                                  : llvm::OptimizationLevel::O3);
  // Now that LLVM has made use of what it knows about these.
  redirectCalls(module, {{"malloc", "lstmAllocate"}, {"calloc", "lstmAllocateZeros"}});
}

static LogicalResult
writeFile(StringRef path, llvm::function_ref<LogicalResult(llvm::raw_pwrite_stream &)> write) {
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_None);
  if (error)
    return fail(quote(path) + ": " + error.message());
  // Back ends go back in what they write.
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  if (failed(write(os)))
    return failure();
  file.os() << os.str();
  file.os().close();
  if (file.os().has_error()) {
    std::string message = file.os().error().message();
    file.os().clear_error();
    return fail(quote(path) + ": " + message);
  }
  file.keep();
  return success();
}

static LogicalResult writeCode(llvm::Module &module, llvm::TargetMachine &machine, Emit kind) {
  if (kind == Emit::LLVM)
    return writeFile(output, [&](llvm::raw_pwrite_stream &os) {
      module.print(os, nullptr);
      return success();
    });
  auto emitTo = [&](llvm::raw_pwrite_stream &os) -> LogicalResult {
    auto type = kind == Emit::Asm ? llvm::CodeGenFileType::AssemblyFile
                                  : llvm::CodeGenFileType::ObjectFile;
    if (llvm::Error error = emitCode(module, machine, type, os))
      return fail(std::move(error));
    return success();
  };
  if (kind != Emit::SO)
    return writeFile(output, emitTo);
  SmallString<128> object;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("lstm-compile", "o", object))
    return fail("temporary file: " + error.message());
  llvm::FileRemover remover(object);
  if (failed(writeFile(object, emitTo)))
    return failure();
  if (llvm::Error error =
          compile::linkLibrary(object, output, machine.getTargetTriple(), compiler, getPlatform()))
    return fail(std::move(error));
  return success();
}

/// Opens the program under its name alone: messages in compiled code say where a
/// check stands, and nothing about this machine.
static FailureOr<std::unique_ptr<llvm::MemoryBuffer>> openProgram() {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(file, &message);
  if (!buffer)
    return fail(message);
  return llvm::MemoryBuffer::getMemBufferCopy(buffer->getBuffer(), llvm::sys::path::filename(file));
}

static FailureOr<CInterface> lowerForCPU(ModuleOp module, ArrayRef<func::FuncOp> functions,
                                         StringRef prefix, llvm::SourceMgr &source,
                                         const llvm::TargetMachine &machine) {
  LSTMToLLVMOptions options;
  options.optimize = level != '0';
  options.vectorBits = getVectorBits(machine);
  options.runtimeChecks = runtimeChecks;
  options.splitPacking = true;
  if (failed(optimizeFunctions(module, functions, options)))
    return failure();
  // Packing has functions of its own.
  FailureOr<CInterface> interface =
      getCInterface(module, getPublicFunctions(module), prefix, Platform::CPU, source);
  if (failed(interface) || failed(lowerFunctions(module, options)))
    return failure();
  return interface;
}

static FailureOr<CInterface> lowerForGPU(ModuleOp module, ArrayRef<func::FuncOp> functions,
                                         StringRef prefix, llvm::SourceMgr &source, Emit kind) {
  LSTMToNVVMOptions options;
  gpuOptions.get(options, level != '0');
  if (kind == Emit::PTX)
    options.format = GPUFormat::PTX;
  options.runtimeChecks = runtimeChecks;
  FailureOr<CInterface> interface =
      getCInterface(module, functions, prefix, Platform::CUDA, source);
  if (failed(interface) || failed(lowerFunctionsForGPU(module, functions, options)))
    return failure();
  return interface;
}

/// The text of the kernels, which the passes have put into globals.
static LogicalResult writePTX(ModuleOp module) {
  return writeFile(output, [&](llvm::raw_pwrite_stream &os) {
    for (auto global : module.getOps<LLVM::GlobalOp>())
      if (auto text = dyn_cast_or_null<StringAttr>(global.getValueOrNull());
          text && text.getValue().contains("\n.target "))
        os << text.getValue().rtrim('\0');
    return success();
  });
}

static LogicalResult compileProgram() {
  FailureOr<Emit> kind = getEmit();
  if (failed(kind) || failed(checkOptions(*kind)))
    return failure();
  FailureOr<std::string> symbolPrefix = getPrefix();
  if (failed(symbolPrefix))
    return failure();
  llvm::Expected<CPUTarget> target = CPUTarget::get(triple, cpu, features);
  if (!target)
    return fail(target.takeError());
  std::unique_ptr<llvm::TargetMachine> machine = target->createMachine(
      level == '0' ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Aggressive);

  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = openProgram();
  if (failed(buffer))
    return failure();
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  DialectRegistry registry;
  registerAllDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  // Kernels compile side by side; for a CPU there is little to share out.
  MLIRContext context(registry, getPlatform() == Platform::CUDA ? MLIRContext::Threading::ENABLED
                                                                : MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  SourceMgrDiagnosticHandler diagnostics(source, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(source, &context);
  if (!module || failed(runPreparation(*module)))
    return failure();

  FailureOr<std::vector<func::FuncOp>> entries = findEntries(*module);
  if (failed(entries))
    return failure();
  FailureOr<CInterface> lowered =
      getPlatform() == Platform::CUDA
          ? lowerForGPU(*module, *entries, *symbolPrefix, source, *kind)
          : lowerForCPU(*module, *entries, *symbolPrefix, source, *machine);
  if (failed(lowered) || failed(addCInterface(*module, *lowered)))
    return failure();
  CInterface interface = std::move(*lowered);
  if (!headerFile.empty() && failed(writeFile(headerFile, [&](llvm::raw_pwrite_stream &os) {
        writeCHeader(interface, os);
        return success();
      })))
    return failure();
  if (*kind == Emit::PTX)
    return writePTX(*module);
  if (*kind == Emit::MLIR)
    return writeFile(output, [&](llvm::raw_pwrite_stream &os) {
      module->print(os);
      return success();
    });

  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(*module, llvmContext, interface.prefix);
  if (!llvmModule)
    return failure();
  llvmModule->setTargetTriple(target->triple);
  llvmModule->setDataLayout(machine->createDataLayout());
  optimize(*llvmModule, *machine);
  return writeCode(*llvmModule, *machine, *kind);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions({&category, &gpuOptions.category});
  cl::ParseCommandLineOptions(argc, argv, overview);
  return succeeded(compileProgram()) ? EXIT_SUCCESS : EXIT_FAILURE;
}
