//===- MyRNN.h - A dialect with a cell of its own -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYRNN_H
#define MYRNN_H

#include "lstm/Dialect/LSTM/IR/LSTM.h"

#include "MyRNNDialect.h.inc"

#define GET_OP_CLASSES
#include "MyRNNOps.h.inc"

#endif // MYRNN_H
