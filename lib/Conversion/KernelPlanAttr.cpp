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

StringRef lstm::getModeName(Float32Mode mode) { return kModes[int(mode)]; }

bool lstm::isComplete(const KernelPlan &plan) {
  return plan.unitBlocks > 0 && plan.rowTiles > 0 && plan.splits > 0 &&
         (plan.mapWarps == 0 ? plan.unitWarps > 0
                             : plan.unitWarps == 0 || plan.unitWarps == KernelPlan::kGroupWarps) &&
         plan.singleRows <= !plan.hasWarpGroups() && plan.perStep <= (plan.unitWarps == 0);
}

Attribute lstm::toAttribute(MLIRContext *context, ArrayRef<PlannedRows> planned) {
  Builder b(context);
  SmallVector<Attribute> parts;
  for (const PlannedRows &part : planned) {
    NamedAttrList list;
    if (&part != &planned.back())
      list.append("max_rows", b.getI64IntegerAttr(part.maxRows));
    if (part.plan) {
      for (const PlanField &field : kPlanFields)
        if (int64_t number = *part.plan.*field.member)
          list.append(field.name, b.getI64IntegerAttr(number));
      list.append("f32", b.getStringAttr(getModeName(part.plan->float32)));
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
      rows.plan.emplace();
      for (const PlanField &field : kPlanFields)
        *rows.plan.*field.member = get(field.name).value_or(0);
      if (!isComplete(*rows.plan) || found == std::end(kModes))
        return expects("positive 'unit_blocks', 'row_tiles', 'splits', 'map_warps' or "
                       "'unit_warps', 'single_rows' of 1 or, as with warp groups, none, "
                       "'per_step' of 1 or, with 'unit_warps', none, and "
                       "'f32' one of bf16x3, exact and tf32");
      rows.plan->float32 = Float32Mode(found - std::begin(kModes));
    }
    planned.push_back(rows);
  }
  return planned;
}
