//===- CPUTarget.cpp - CPUs that code is generated for -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/Target/CPUTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;
using namespace mlir::lstm;

static const llvm::Target *lookupTarget(const llvm::Triple &triple, std::string &error) {
  static bool initialized = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
    return true;
  }();
  (void)initialized;
  return llvm::TargetRegistry::lookupTarget(triple, error);
}

bool CPUTarget::isHost(const llvm::Triple &triple) {
  llvm::Triple host(llvm::sys::getProcessTriple());
  return triple.getArch() == host.getArch() && triple.getOS() == host.getOS();
}

static std::string getHostFeatures() {
  llvm::SubtargetFeatures features;
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  // Sorted: the same machine gives the same text.
  std::map<std::string, bool> sorted;
  for (const auto &feature : host)
    sorted.emplace(feature.getKey().str(), feature.getValue());
  for (const auto &[name, enabled] : sorted)
    features.AddFeature(name, enabled);
  return features.getString();
}

static llvm::Error checkFeatures(StringRef features, const llvm::MCSubtargetInfo &info) {
  SmallVector<StringRef> parts;
  features.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    StringRef name = part;
    if (!name.consume_front("+") && !name.consume_front("-"))
      return llvm::createStringError("expects a feature to begin with '+' or '-', but got '" + part +
                                     "'");
    auto known = info.getAllProcessorFeatures();
    if (llvm::none_of(known, [&](const auto &feature) { return name == feature.Key; }))
      return llvm::createStringError("unknown feature '" + name + "' for '" +
                                     info.getTargetTriple().str() + "'");
  }
  return llvm::Error::success();
}

llvm::Expected<CPUTarget> CPUTarget::get(StringRef triple, StringRef cpu, StringRef features) {
  CPUTarget target;
  target.triple = llvm::Triple(llvm::Triple::normalize(
      triple.empty() ? StringRef(llvm::sys::getProcessTriple()) : triple));
  std::string error;
  const llvm::Target *backend = lookupTarget(target.triple, error);
  if (!backend)
    return llvm::createStringError("unknown triple '" + triple + "': " + error);
  if (!target.triple.isX86() && !target.triple.isAArch64())
    return llvm::createStringError("triple '" + target.triple.str() +
                                   "' is not supported; the targets are x86_64 and aarch64");
  if (!target.triple.isArch64Bit() || !target.triple.isLittleEndian())
    return llvm::createStringError("triple '" + target.triple.str() +
                                   "' is not supported; expects 64 bits and little-endian order");

  bool host = isHost(target.triple);
  if (cpu == "native" && !host)
    return llvm::createStringError("CPU 'native' is this machine's, but the triple is '" +
                                   target.triple.str() + "'");
  if (cpu == "native" || (cpu.empty() && host)) {
    target.cpu = llvm::sys::getHostCPUName().str();
    target.features = getHostFeatures();
  } else {
    target.cpu = cpu.empty() ? "generic" : cpu.str();
  }

  // With no CPU: LLVM itself prints of one that it does not know.
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      backend->createMCSubtargetInfo(target.triple, "", ""));
  if (!info->isCPUStringValid(target.cpu))
    return llvm::createStringError("unknown CPU '" + cpu + "' for '" + target.triple.str() + "'");
  if (llvm::Error error = checkFeatures(features, *info))
    return std::move(error);
  if (!features.empty())
    target.features += (target.features.empty() ? "" : ",") + features.str();
  return target;
}

std::unique_ptr<llvm::TargetMachine> CPUTarget::createMachine(llvm::CodeGenOptLevel level) const {
  std::string error;
  const llvm::Target *backend = lookupTarget(triple, error);
  return std::unique_ptr<llvm::TargetMachine>(
      backend->createTargetMachine(triple, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
                                   /*CM=*/std::nullopt, level));
}

int64_t lstm::getVectorBits(const llvm::TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86())
    return 128;
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  if (info.checkFeatures("+avx512f"))
    return 512;
  return info.checkFeatures("+avx") ? 256 : 128;
}

void lstm::optimizeModule(llvm::Module &module, llvm::TargetMachine *machine,
                          llvm::OptimizationLevel level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

llvm::Error lstm::emitCode(llvm::Module &module, llvm::TargetMachine &machine,
                           llvm::CodeGenFileType type, llvm::raw_pwrite_stream &os) {
  // The back ends have passes for the old pass manager only.
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, /*DwoOut=*/nullptr, type))
    return llvm::createStringError("no code can be emitted for '" +
                                   machine.getTargetTriple().str() + "'");
  passes.run(module);
  return llvm::Error::success();
}
