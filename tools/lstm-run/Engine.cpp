//===- Engine.cpp - Compiles for this machine, in memory -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include "lstm/Target/CPUTarget.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

void lstm::run::stop() {
  llvm::outs().flush();
  llvm::errs().flush();
  std::_Exit(EXIT_FAILURE);
}

/// A `cf.assert` of the program prints its message, then aborts.
static int assertionMessage(const char *message) {
  llvm::errs() << "error: assertion failed: " << message << '\n';
  return 0;
}
[[noreturn]] static void assertionFailed() { stop(); }

static llvm::orc::SymbolMap getSymbols(llvm::orc::MangleAndInterner interner) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                               llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  add("puts", &assertionMessage);
  add("abort", &assertionFailed);
  return symbols;
}

llvm::Expected<std::unique_ptr<ExecutionEngine>> lstm::run::createEngine(ModuleOp module,
                                                                         bool optimize) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  auto machineBuilder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machineBuilder)
    return machineBuilder.takeError();
  auto codeGenLevel = optimize ? llvm::CodeGenOptLevel::Aggressive : llvm::CodeGenOptLevel::None;
  machineBuilder->setCodeGenOptLevel(codeGenLevel);
  auto machine = machineBuilder->createTargetMachine();
  if (!machine)
    return machine.takeError();

  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  auto transformer = [optimize, machine = machine->get()](llvm::Module *module) {
    if (optimize)
      optimizeModule(*module, machine);
    return llvm::Error::success();
  };
  ExecutionEngineOptions options;
  options.transformer = transformer;
  options.jitCodeGenOptLevel = codeGenLevel;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (engine)
    (*engine)->registerSymbols(getSymbols);
  return engine;
}
