//===- KernelTarget.cpp - What a GPU has for kernels -----------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTarget.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::lstm;

namespace {
struct Key {
  StringLiteral name;
  int64_t KernelTarget::*field;
};
} // namespace

/// What a description may say, without "lstm.".
static constexpr Key kKeys[] = {
    {"multiprocessors", &KernelTarget::multiprocessors},
    {"shared_memory", &KernelTarget::sharedBytes},
    {"registers", &KernelTarget::registers},
    {"cluster_blocks", &KernelTarget::clusterBlocks},
    {"cache", &KernelTarget::cacheBytes},
    {"cache_rate", &KernelTarget::cacheRate},
    {"memory_rate", &KernelTarget::memoryRate},
    {"f16_rate", &KernelTarget::float16Rate},
    {"tf32_rate", &KernelTarget::tf32Rate},
    {"f32_rate", &KernelTarget::float32Rate},
    {"launch_latency", &KernelTarget::launchLatency},
    {"hand_over_latency", &KernelTarget::handOverLatency},
    {"clock", &KernelTarget::clock},
};

/// 90 of sm_90a; 0 if it is no such name.
static int64_t getNumber(StringRef chip) {
  int64_t number = 0;
  return chip.consume_front("sm_") && !chip.consumeInteger(10, number) ? number : 0;
}

static KernelTarget getDefault(StringRef chip) {
  KernelTarget target;
  target.chip = chip;
  int64_t number = getNumber(chip);
  if (number < 90) {
    // An A100. Its resources are NVIDIA's; its times were not measured, but estimated from
    // those of an H100 and the ratios of the data sheets.
    target.multiprocessors = 108;
    target.sharedBytes = 163 * 1024;
    target.clusterBlocks = 0;
    target.cacheBytes = 40'000'000;
    target.cacheRate = 2800;
    target.memoryRate = 1500;
    target.float16Rate = 120;
    target.tf32Rate = 60;
    target.float32Rate = 14;
    target.launchLatency = 2000;
    target.handOverLatency = 720;
    target.clock = 1410;
  }
  // Those without a data centre.
  if (number == 86 || number == 89 || number / 10 == 12)
    target.sharedBytes = 99 * 1024;
  return target;
}

static LogicalResult apply(ModuleOp module, DataLayoutEntryInterface entry, KernelTarget &target) {
  auto name = dyn_cast<StringAttr>(entry.getKey());
  // Others describe devices, too.
  StringRef key = name ? name.getValue() : "";
  if (!key.consume_front("lstm."))
    return success();
  const Key *known = llvm::find_if(kKeys, [&](const Key &k) { return k.name == key; });
  if (known == std::end(kKeys)) {
    auto names = llvm::map_range(kKeys, [](const Key &k) { return ("'lstm." + k.name + "'").str(); });
    return module.emitError("unknown key ")
           << name << " of device \"GPU\" in 'dlti.target_system_spec'; there is "
           << llvm::join(names, ", ");
  }
  auto value = dyn_cast<IntegerAttr>(entry.getValue());
  if (!value || !value.getValue().isStrictlyPositive() || value.getValue().getActiveBits() > 63)
    return module.emitError("expects ")
           << name << " of device \"GPU\" in 'dlti.target_system_spec' to be a positive integer, but got "
           << entry.getValue();
  target.*known->field = value.getInt();
  return success();
}

FailureOr<KernelTarget> lstm::getKernelTarget(ModuleOp module, ArrayRef<std::string> chips) {
  // A plan has to fit into each of them, and the least is the oldest.
  const std::string *least = llvm::min_element(
      chips, [](StringRef a, StringRef b) { return getNumber(a) < getNumber(b); });
  KernelTarget target = least == chips.end() ? KernelTarget() : getDefault(*least);
  target.hasWarpGroups = !chips.empty() && llvm::all_of(chips, [](StringRef chip) { return chip == "sm_90a"; });
  TargetSystemSpecInterface system = module.getTargetSystemSpec();
  if (!system)
    return target;
  auto device = system.getDeviceSpecForDeviceID(StringAttr::get(module.getContext(), "GPU"));
  if (!device)
    return target;
  for (DataLayoutEntryInterface entry : device->getEntries())
    if (failed(apply(module, entry, target)))
      return failure();
  return target;
}
