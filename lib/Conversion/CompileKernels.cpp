//===- CompileKernels.cpp - Kernels to machine code or PTX -----------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Conversion/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

namespace mlir::lstm {
#define GEN_PASS_DEF_LSTMCOMPILEKERNELSPASS
#include "lstm/Conversion/Passes.h.inc"
} // namespace mlir::lstm

using namespace mlir;
using namespace mlir::lstm;

namespace {
/// Is there as long as this.
class TemporaryFile {
public:
  std::error_code write(StringRef suffix, StringRef text) {
    int descriptor;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("lstm-kernel", suffix, descriptor, path))
      return error;
    remover.setFile(path);
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << text;
    os.close();
    std::error_code error = os.error();
    os.clear_error();
    return error;
  }
  StringRef getPath() const { return path; }

private:
  SmallString<128> path;
  llvm::FileRemover remover;
};
} // namespace

/// Whether the assembler has an option, which depends on the toolkit's version.
static bool hasOption(StringRef assembler, StringRef option) {
  TemporaryFile help;
  if (help.write("txt", ""))
    return false;
  std::optional<StringRef> redirects[] = {std::nullopt, help.getPath(), std::nullopt};
  if (llvm::sys::ExecuteAndWait(assembler, {assembler, "--help"}, std::nullopt, redirects) != 0)
    return false;
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(help.getPath());
  return text && (*text)->getBuffer().contains(option);
}

/// Assembly that all lanes of a warp have to reach together, as bar.arrive, is convergent. Else LLVM makes two of one
/// where a branch before and a branch behind have the same condition; the LLVM dialect has no word for that.
static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = dyn_cast<llvm::CallInst>(&instruction);
      auto *assembly = call ? dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!assembly)
        continue;
      StringRef text = assembly->getAsmString();
      if (llvm::any_of(ArrayRef<StringRef>{"bar.", "barrier.", ".sync", ".aligned"},
                       [&](StringRef part) { return text.contains(part); }))
        call->setConvergent();
    }
}

using Parts = SmallVector<OwningOpRef<gpu::GPUModuleOp>>;

/// Moves each kernel to a module of its own, with what they share.
static Parts takeKernels(gpu::GPUModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()))
      kernels.push_back(function);
  for (LLVM::LLVMFuncOp kernel : kernels)
    kernel->remove();
  Parts parts;
  for (LLVM::LLVMFuncOp kernel : kernels) {
    parts.emplace_back(module.clone());
    parts.back()->getBody()->push_back(kernel);
  }
  return parts;
}

namespace {
struct LSTMCompileKernelsPass : public lstm::impl::LSTMCompileKernelsPassBase<LSTMCompileKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto module : llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(compile(module)))
        return signalPassFailure();
  }

  LogicalResult compile(gpu::GPUModuleOp module) {
    if (!module.getTargetsAttr())
      return module.emitOpError("has no target to compile for");
    Parts parts;
    if (!text)
      parts = takeKernels(module);
    SmallVector<Attribute> objects;
    for (Attribute target : module.getTargetsAttr()) {
      objects.push_back(compileFor(cast<gpu::TargetAttrInterface>(target), module, parts));
      if (!objects.back())
        return failure();
    }
    OpBuilder b(module);
    gpu::BinaryOp::create(b, module.getLoc(), module.getName(), /*offloadingHandler=*/nullptr, objects);
    module.erase();
    return success();
  }

  /// The toolkit, if it has libdevice: upstream complains where it is not, also if nothing needs it.
  std::string getLibraries() {
    bool hasLibdevice = llvm::sys::fs::exists(toolkit + "/nvvm/libdevice/libdevice.10.bc");
    return hasLibdevice ? toolkit.getValue() : "";
  }

  /// The object of a module with its parts; null, which has been reported, if it does not compile.
  Attribute compileFor(gpu::TargetAttrInterface target, gpu::GPUModuleOp module, const Parts &parts) {
    std::vector<TemporaryFile> files(parts.size());
    LogicalResult written = failableParallelForEachN(&getContext(), 0, parts.size(), [&](size_t i) {
      return writeText(target, *parts[i], i, files[i]);
    });
    if (failed(written))
      return {};
    // The assembler makes one of several files.
    std::string arguments;
    for (const TemporaryFile &file : files)
      arguments += ("\"" + file.getPath() + "\" ").str();
    std::string assembler = toolkit + "/bin/ptxas";
    bool hasAssembler = !text && llvm::sys::fs::can_execute(assembler);
    if (hasAssembler && hasOption(assembler, "--split-compile"))
      arguments += "--split-compile=0";
    gpu::TargetOptions options(hasAssembler ? toolkit.getValue() : getLibraries(), {}, arguments, /*elfSection=*/{},
                               text ? gpu::CompilationTarget::Assembly : gpu::CompilationTarget::Binary,
                               /*getSymbolTableCallback=*/{}, markConvergent);
    std::optional<SmallVector<char, 0>> object = target.serializeToObject(module, options);
    return object ? target.createObject(module, *object, options) : Attribute();
  }

  LogicalResult writeText(gpu::TargetAttrInterface target, gpu::GPUModuleOp part, size_t number, TemporaryFile &file) {
    // What several have of libdevice, as its table for large angles, needs a name in each: ptxas crashes on two of one
    // name.
    auto renameLocals = [&](llvm::Module &module) {
      for (llvm::GlobalValue &value : module.global_values())
        if (value.hasLocalLinkage())
          value.setName(value.getName() + "_" + llvm::Twine(number));
    };
    gpu::TargetOptions options(getLibraries(), {}, /*cmdOptions=*/{}, /*elfSection=*/{},
                               gpu::CompilationTarget::Assembly, /*getSymbolTableCallback=*/{}, markConvergent,
                               /*linkedLlvmIRCallback=*/{}, renameLocals);
    std::optional<SmallVector<char, 0>> code = target.serializeToObject(part, options);
    if (!code)
      return failure();
    // Text for drivers ends in a zero.
    if (std::error_code error = file.write("ptx", StringRef(code->data(), code->size()).rtrim('\0')))
      return part.emitOpError("cannot be written to a temporary file: ") << error.message();
    return success();
  }
};
} // namespace
