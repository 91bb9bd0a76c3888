//===- CFunction.cpp - Calls C functions of compiled programs -*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CFunction.h"

#include "lstm/Target/CInterface.h"

using namespace mlir;
using namespace mlir::lstm;
using namespace mlir::lstm::run;

char CheckFailed::ID;

llvm::Error lstm::run::toError(int32_t status, const char *message) {
  if (status == LSTM_OK)
    return llvm::Error::success();
  if (status == LSTM_CHECK_FAILED)
    return llvm::make_error<CheckFailed>(message);
  return llvm::createStringError(message);
}

/// How C passes a scalar: halves as their bits.
static ffi_type *getCType(const Port &port) {
  if (port.isTensor())
    return &ffi_type_pointer;
  switch (port.kind) {
  case ElementKind::F64:
    return &ffi_type_double;
  case ElementKind::F32:
    return &ffi_type_float;
  case ElementKind::F16:
  case ElementKind::BF16:
    return &ffi_type_uint16;
  case ElementKind::I32:
    return &ffi_type_sint32;
  case ElementKind::I1:
    return &ffi_type_uint8;
  case ElementKind::I64:
  case ElementKind::Index:
    return &ffi_type_sint64;
  }
  llvm_unreachable("all kinds are covered");
}

CCall::CCall(void *function, const Signature &signature, ArrayRef<const Array *> arguments,
             ArrayRef<void *> leading)
    : function(function), signature(signature), numArguments(arguments.size()),
      tensors(arguments.size() + signature.results.size()), scalars(signature.results.size()),
      pointers(leading) {
  // Addresses of its elements are taken below.
  pointers.resize(leading.size() + tensors.size());
  for (size_t i = 0; i < leading.size(); ++i)
    values.push_back(&pointers[i]);
  types.assign(leading.size(), &ffi_type_pointer);
  auto passPointer = [&](void *pointer) {
    types.push_back(&ffi_type_pointer);
    pointers[values.size()] = pointer;
    values.push_back(&pointers[values.size()]);
  };
  for (auto [i, port] : llvm::enumerate(signature.arguments)) {
    const Array &array = *arguments[i];
    if (!port.isTensor()) {
      types.push_back(getCType(port));
      values.push_back(array.getData());
      continue;
    }
    tensors[i] = lstm_make_tensor(array.getData(), lstm_dtype(getDType(port.kind)), array.getRank(),
                                  array.getShape().data());
    passPointer(&tensors[i]);
  }
  for (auto [i, port] : llvm::enumerate(signature.results))
    passPointer(port.isTensor() ? static_cast<void *>(&tensors[numArguments + i]) : &scalars[i]);
  [[maybe_unused]] ffi_status status =
      ffi_prep_cif(&interface, FFI_DEFAULT_ABI, types.size(), &ffi_type_sint32, types.data());
  assert(status == FFI_OK && "these types have a C interface");
}

int32_t CCall::run() {
  ffi_arg status = 0;
  ffi_call(&interface, reinterpret_cast<void (*)()>(function), &status, values.data());
  return static_cast<int32_t>(status);
}

llvm::Expected<NamedArray> CCall::readResult(size_t number) const {
  const Port &port = signature.results[number];
  const lstm_tensor &tensor = tensors[numArguments + number];
  auto array = port.isTensor()
                   ? Array::copy(port.kind, static_cast<const char *>(tensor.data),
                                 ArrayRef(tensor.shape, tensor.rank),
                                 ArrayRef(tensor.strides, tensor.rank))
                   : Array::copy(port.kind, reinterpret_cast<const char *>(&scalars[number]), {}, {});
  if (!array)
    return llvm::createStringError("result " + quote(port.name) + ": " +
                                   llvm::toString(array.takeError()));
  return NamedArray{port.name, std::move(*array)};
}
