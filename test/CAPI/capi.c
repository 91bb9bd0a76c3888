/*===- capi.c - Test of the C API ------------------------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/*
RUN: lstm-capi-test 2>&1 | FileCheck %s
*/

#include "lstm-c/LSTM.h"

#include "mlir-c/Pass.h"

#include <stdio.h>

static const char *const step =
    "func.func @step(%x: tensor<?x8xf32>, %W: tensor<8x16xf32>, %h: tensor<?x16xf32>,\n"
    "                %U: tensor<16x16xf32>) -> tensor<?x16xf32> {\n"
    "  %h1 = lstm.rnn_cell input(%x, %W : tensor<?x8xf32>, tensor<8x16xf32>)\n"
    "      state(%h, %U : tensor<?x16xf32>, tensor<16x16xf32>)\n"
    "  return %h1 : tensor<?x16xf32>\n"
    "}\n";

static void printTo(MlirStringRef text, void *userData) {
  fwrite(text.data, 1, text.length, (FILE *)userData);
}

/* Output and errors of one run. */
static void printOutput(MlirStringRef text, void *userData) {
  printf("output: ");
  printTo(text, userData);
}
static void printErrors(MlirStringRef text, void *userData) {
  printf("errors: ");
  printTo(text, userData);
}

static void run(const char *title, const char *module, const char *pipeline) {
  printf("== %s\n", title);
  MlirLogicalResult result = lstmRunPipeline(
      mlirStringRefCreateFromCString(module), mlirStringRefCreateFromCString(pipeline),
      printOutput, printErrors, stdout);
  printf("%s\n", mlirLogicalResultIsSuccess(result) ? "success" : "failure");
}

/* A user of MLIR's C API: own registry, own context, own pass manager. Everything
   is registered twice, which must change nothing. */
static void useRegistration(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  MlirDialectHandle handle = mlirGetDialectHandle__lstm__();
  for (int i = 0; i < 2; ++i) {
    mlirDialectHandleInsertDialect(handle, registry);
    lstmRegisterDialect(registry);
    lstmRegisterAllDialects(registry);
    lstmRegisterPasses();
    lstmRegisterAllPasses();
  }
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  MlirDialect dialect = mlirDialectHandleLoadDialect(handle, context);
  printTo(mlirDialectGetNamespace(dialect), stdout);
  printf("\n");

  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(step));
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirLogicalResult parsed = mlirParsePassPipeline(
      mlirPassManagerGetAsOpPassManager(manager),
      mlirStringRefCreateFromCString("builtin.module(lstm-decompose-cells)"), printTo, stdout);
  MlirOperation op = mlirModuleGetOperation(module);
  if (mlirLogicalResultIsFailure(parsed) ||
      mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(manager, op)))
    printf("failure\n");
  mlirOperationPrint(op, printTo, stdout);

  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
}

int main(void) {
  /* CHECK-LABEL: == registration
     CHECK-NEXT: {{^}}lstm{{$}}
     CHECK-NOT: lstm.rnn_cell
     CHECK: lstm.gate tanh
     CHECK-NOT: failure
  */
  printf("== registration\n");
  useRegistration();

  /* CHECK-LABEL: == a pipeline
     CHECK-NEXT: output: module {
     CHECK: lstm.gate tanh
     CHECK: success
  */
  run("a pipeline", step, "builtin.module(lstm-decompose-cells,func.func(canonicalize))");

  /* CHECK-LABEL: == text that does not parse
     CHECK-NEXT: errors: module:1:{{[0-9]+}}: error:
     CHECK-NOT: output:
     CHECK: failure
  */
  run("text that does not parse", "func.func @f( {", "builtin.module()");

  /* CHECK-LABEL: == an operation that does not verify
     CHECK-NEXT: errors: module:2:{{[0-9]+}}: error: 'lstm.check' op
     CHECK-NOT: output:
     CHECK: failure
  */
  run("an operation that does not verify",
      "func.func @f(%ok: i1, %a: index) {\n"
      "  lstm.check %ok, \"too many\"(%a, %a, %a, %a : index, index, index, index)\n"
      "  return\n}",
      "builtin.module()");

  /* CHECK-LABEL: == an unknown pass
     CHECK: errors: {{.*}}lstm-no-such-pass
     CHECK-NOT: output:
     CHECK: failure
  */
  run("an unknown pass", step, "builtin.module(lstm-no-such-pass)");

  /* CHECK-LABEL: == an unknown option
     CHECK: errors: {{.*}}no-such-option
     CHECK-NOT: output:
     CHECK: failure
  */
  run("an unknown option", step, "builtin.module(lstm-verify-rung{no-such-option=1})");

  /* CHECK-LABEL: == a pass that fails
     CHECK-NEXT: errors: module:3:{{[0-9]+}}: error:
     CHECK-SAME: lstm.rnn_cell
     CHECK-NOT: output:
     CHECK: failure
  */
  run("a pass that fails", step, "builtin.module(lstm-verify-rung{rung=L1})");

  /* CHECK-LABEL: == a pipeline on another operation
     CHECK-NEXT: errors: expects a pipeline on 'builtin.module', but got one on 'func.func'
     CHECK-NOT: output:
     CHECK: failure
  */
  run("a pipeline on another operation", step, "func.func(canonicalize)");
  return 0;
}
