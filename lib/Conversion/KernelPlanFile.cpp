//===- KernelPlanFile.cpp - Files of plans ---------------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPlanFile.h"

#include "KernelPlanAttr.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::lstm;
namespace json = llvm::json;

std::string lstm::getRecurrenceKey(const RecurrentLoop &loop, Float32Mode float32,
                                   const KernelTarget &target) {
  std::string key = target.chip;
  llvm::raw_string_ostream os(key);
  if (target.siblings > 1)
    os << ", " << target.siblings << " side by side";
  if (loop.numParts > 1)
    os << ", " << loop.numParts << (loop.hasLinkedParts ? " linked" : "") << " parts";
  bool hasFloat32 = false;
  StringRef separator = ": ";
  for (const PhaseInLoop &phase : loop.phases) {
    os << std::exchange(separator, "; ") << phase.units << " units";
    StringRef of = " of ";
    for (const Projection &projection : phase.projections) {
      auto type = cast<MemRefType>(projection.weight.getType());
      os << std::exchange(of, " and ") << type.getDimSize(0) << 'x' << type.getDimSize(1) << 'x'
         << type.getElementType();
      hasFloat32 |= type.getElementType().isF32();
    }
  }
  if (!loop.rowValues.empty())
    os << "; row values: " << loop.rowValues.size();
  if (hasFloat32)
    os << "; f32 by " << getModeName(float32);
  return key;
}

/// Plans are known by the names that they have in the attribute.
static bool readPlan(const json::Value &value, PlannedRows &planned, bool isLast, json::Path path) {
  const json::Object *object = value.getAsObject();
  if (!object) {
    path.report("expects a plan");
    return false;
  }
  auto get = [&](StringRef name, int64_t &number) {
    const json::Value *found = object->get(name);
    std::optional<int64_t> read = found ? found->getAsInteger() : std::nullopt;
    number = read.value_or(0);
    if (number < 1)
      path.field(name).report("expects a positive integer");
    return number >= 1;
  };
  planned.maxRows = std::numeric_limits<int64_t>::max();
  if (!isLast && !get("max_rows", planned.maxRows))
    return false;
  if (isLast && object->get("max_rows")) {
    path.field("max_rows").report("the last plan is for all numbers of rows that are more");
    return false;
  }
  for (const auto &[name, entry] : *object)
    if (StringRef read = name; llvm::none_of(kPlanFields, [&](const PlanField &f) { return f.name == read; }) &&
                               !llvm::is_contained({"max_rows", "rows", "microseconds"}, read)) {
      path.field(name).report("unknown name");
      return false;
    }
  if (object->get(kPlanFields[0].name)) {
    planned.plan.emplace();
    for (const PlanField &field : kPlanFields)
      if (object->get(field.name) && !get(field.name, *planned.plan.*field.member))
        return false;
    if (!isComplete(*planned.plan)) {
      path.report("expects 'unit_blocks', 'row_tiles', 'splits', 'map_warps' or 'unit_warps', "
                  "'single_rows' of 1 or, as with warp groups, none, and 'per_step' of 1 or, with 'unit_warps', none");
      return false;
    }
  }
  Measurement measured;
  std::optional<double> microseconds = object->getNumber("microseconds");
  if (!microseconds) {
    path.field("microseconds").report("expects a number");
    return false;
  }
  measured.microseconds = *microseconds;
  if (!get("rows", measured.rows))
    return false;
  planned.measured = measured;
  return true;
}

static bool readPlans(const json::Value &value, KernelPlans &plans, json::Path path) {
  const json::Object *file = value.getAsObject();
  const json::Object *recurrences = file ? file->getObject("recurrences") : nullptr;
  if (!recurrences) {
    path.field("recurrences").report("expects an object");
    return false;
  }
  // A path points to the one that it goes on from.
  json::Path all = path.field("recurrences");
  for (const auto &[key, entry] : *recurrences) {
    json::Path at = all.field(key);
    const json::Array *parts = entry.getAsArray();
    if (!parts || parts->empty()) {
      at.report("expects an array of plans");
      return false;
    }
    SmallVector<PlannedRows> &planned = plans[key];
    for (auto [i, part] : llvm::enumerate(*parts)) {
      PlannedRows &next = planned.emplace_back();
      json::Path here = at.index(i);
      if (!readPlan(part, next, i + 1 == parts->size(), here))
        return false;
      if (i && planned[i - 1].maxRows >= next.maxRows) {
        here.field("max_rows").report("expects more rows than before");
        return false;
      }
    }
  }
  return true;
}

llvm::Expected<KernelPlans> lstm::readKernelPlans(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return llvm::createFileError(path, file.getError());
  llvm::Expected<json::Value> value = json::parse((*file)->getBuffer());
  if (!value)
    return llvm::createFileError(path, value.takeError());
  KernelPlans plans;
  json::Path::Root root("plans");
  if (!readPlans(*value, plans, root))
    return llvm::createFileError(path, root.getError());
  return plans;
}

llvm::Error lstm::writeKernelCandidates(StringRef path, const KernelCandidates &candidates) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return llvm::createFileError(path, error);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attributeObject("recurrences", [&] {
      for (const auto &[key, plans] : candidates)
        json.attributeArray(key, [&] {
          for (const KernelPlan &plan : plans)
            json.object([&] {
              for (const PlanField &field : kPlanFields)
                if (plan.*field.member)
                  json.attribute(field.name, plan.*field.member);
            });
          // Libraries.
          json.object([] {});
        });
    });
  });
  os << '\n';
  os.close();
  if (os.has_error()) {
    error = os.error();
    os.clear_error();
    return llvm::createFileError(path, error);
  }
  return llvm::Error::success();
}
