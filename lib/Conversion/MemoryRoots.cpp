//===- MemoryRoots.cpp - Which memory an operation touches -----------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryRoots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::lstm;

Value lstm::getMemoryRoot(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (auto source = dyn_cast<ViewLikeOpInterface>(op)) {
      view = source.getViewSource();
      continue;
    }
    if (auto cast = dyn_cast<arith::BitcastOp>(op)) {
      view = cast.getIn();
      continue;
    }
    return hasEffect<MemoryEffects::Allocate>(op, view) || isa<memref::GetGlobalOp>(op) ? view : Value();
  }
  bool isArgument = isa<FunctionOpInterface>(cast<BlockArgument>(view).getOwner()->getParentOp());
  return isArgument ? view : Value();
}

Accesses::Accesses(Operation *op) {
  op->walk([&](Operation *inner) {
    if (isMemoryEffectFree(inner))
      return;
    if (auto interface = dyn_cast<MemoryEffectOpInterface>(inner)) {
      SmallVector<MemoryEffects::EffectInstance> effects;
      interface.getEffects(effects);
      for (const MemoryEffects::EffectInstance &effect : effects) {
        Value root = effect.getValue() ? getMemoryRoot(effect.getValue()) : Value();
        if (isa<MemoryEffects::Read>(effect.getEffect()))
          read.insert(root);
        else
          written.insert(root);
      }
    } else if (!inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
      read.insert(Value());
      written.insert(Value());
    }
  });
}

bool Accesses::meets(const Set &l, const Set &r) {
  if (l.empty() || r.empty())
    return false;
  return l.contains(Value()) || r.contains(Value()) ||
         llvm::any_of(l, [&](Value value) { return r.contains(value); });
}

bool Accesses::conflictsWith(const Accesses &other) const {
  return meets(written, other.written) || meets(written, other.read) || meets(read, other.written);
}

bool Accesses::mayWrite(Value view) const { return meets(written, Set({getMemoryRoot(view)})); }

void Accesses::add(const Accesses &other) {
  read.insert_range(other.read);
  written.insert_range(other.written);
}
