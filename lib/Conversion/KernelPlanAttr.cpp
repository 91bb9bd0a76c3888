//===- KernelPlanAttr.cpp - Plans as an attribute of loops -----------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPlanAttr.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::lstm;

static constexpr StringLiteral kModes[] = {"bf16x3", "exact", "tf32"};

Attribute lstm::toAttribute(MLIRContext *context, ArrayRef<PlannedRows> planned) {
  Builder b(context);
  SmallVector<Attribute> parts;
  for (const PlannedRows &part : planned) {
    NamedAttrList list;
    if (&part != &planned.back())
      list.append("max_rows", b.getI64IntegerAttr(part.maxRows));
    if (part.plan) {
      list.append("unit_blocks", b.getI64IntegerAttr(part.plan->unitBlocks));
      list.append("row_tiles", b.getI64IntegerAttr(part.plan->rowTiles));
      list.append("splits", b.getI64IntegerAttr(part.plan->splits));
      if (part.plan->isCluster())
        list.append("unit_warps", b.getI64IntegerAttr(part.plan->unitWarps));
      else
        list.append("map_warps", b.getI64IntegerAttr(part.plan->mapWarps));
      list.append("f32", b.getStringAttr(kModes[int(part.plan->float32)]));
    }
    parts.push_back(list.getDictionary(context));
  }
  return b.getArrayAttr(parts);
}

FailureOr<SmallVector<PlannedRows>> lstm::getPlans(scf::ForOp loop) {
  auto expects = [&](const Twine &what) {
    return loop.emitError("expects 'lstm.kernel' to be an array of dictionaries with ")
           << what << ", but got " << loop->getAttr(kKernelAttrName);
  };
  auto parts = loop->getAttrOfType<ArrayAttr>(kKernelAttrName);
  if (!parts || parts.empty())
    return expects("plans");
  SmallVector<PlannedRows> planned;
  for (auto [i, part] : llvm::enumerate(parts)) {
    auto dictionary = dyn_cast<DictionaryAttr>(part);
    if (!dictionary)
      return expects("plans");
    auto get = [&](StringRef name) -> std::optional<int64_t> {
      auto value = dictionary.getAs<IntegerAttr>(name);
      return value && value.getInt() > 0 ? std::optional(value.getInt()) : std::nullopt;
    };
    PlannedRows rows{std::numeric_limits<int64_t>::max(), std::nullopt, {0, ""}};
    if (i + 1 != parts.size()) {
      if (!get("max_rows"))
        return expects("a positive 'max_rows' in all but the last");
      rows.maxRows = *get("max_rows");
    }
    if (dictionary.contains("unit_blocks")) {
      auto mode = dictionary.getAs<StringAttr>("f32");
      const auto *found = mode ? llvm::find(kModes, mode.getValue()) : std::end(kModes);
      if (!get("unit_blocks") || !get("row_tiles") || !get("splits") ||
          bool(get("map_warps")) == bool(get("unit_warps")) || found == std::end(kModes))
        return expects("positive 'unit_blocks', 'row_tiles', 'splits', 'map_warps' or "
                       "'unit_warps', and 'f32' one of bf16x3, exact and tf32");
      rows.plan = KernelPlan{*get("unit_blocks"), *get("row_tiles"), *get("splits"), get("map_warps").value_or(0),
                             Float32Mode(found - std::begin(kModes)), get("unit_warps").value_or(0)};
    }
    planned.push_back(rows);
  }
  return planned;
}
