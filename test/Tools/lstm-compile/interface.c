/*===- interface.c - Scalars, shared memory, several entries ---------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/*
UNSUPPORTED: sanitizer
RUN: rm -rf %t && mkdir %t
RUN: lstm-compile %S/Inputs/interface.mlir -o %t/libnet.so --header %t/net.h
RUN: FileCheck %s --check-prefix=HEADER --input-file %t/net.h
RUN: %c_compiler -std=c11 -Wall -Wextra -Wpedantic -Werror -I%t %s %t/libnet.so -Wl,-rpath,%t -o %t/interface
RUN: %t/interface | FileCheck %s

HEADER-NOT: hidden
HEADER: @scalars
HEADER: i: i64, a scalar
HEADER: int32_t net_scalars(int64_t i,
HEADER-NEXT:                int32_t n,
HEADER-NEXT:                float f,
HEADER-NEXT:                double d,
HEADER-NEXT:                uint16_t h,
HEADER-NEXT:                bool on,
HEADER-NEXT:                int64_t *i_,
HEADER: int32_t net_swap(const lstm_tensor *a,
HEADER-NEXT:             const lstm_tensor *b,
HEADER-NEXT:             lstm_tensor *result0,
HEADER: int32_t net(void);
HEADER: int32_t net_pack(const lstm_tensor *class_,
HEADER-NEXT:             lstm_tensor *int_,
HEADER-NEXT:             lstm_tensor *a_b);
HEADER: int32_t net_constant(lstm_tensor *result0,
HEADER-NOT: hidden

Entries by name, in this order.
RUN: lstm-compile %S/Inputs/interface.mlir -o %t/some.ll --header %t/some.h --entry swap --entry hidden
RUN: FileCheck %s --check-prefix=SOME --input-file %t/some.h
SOME-NOT: int32_t some{{[_(]}}
SOME: int32_t some_swap(
SOME-NOT: int32_t some{{[_(]}}
SOME: int32_t some_hidden(
SOME-NOT: int32_t some{{[_(]}}

Passes may make entries.
RUN: lstm-compile %S/Inputs/interface.mlir -o %t/one.ll --header %t/one.h \
RUN:   --prepare="builtin.module(symbol-privatize{exclude=net_pack})"
RUN: FileCheck %s --check-prefix=ONE --input-file %t/one.h
ONE-NOT: int32_t one_
ONE: int32_t one_net_pack(
ONE-NOT: int32_t one_
*/

#include "net.h"

#include <stdio.h>
#include <stdlib.h>

static void testScalars(void) {
  int64_t i = 0;
  int32_t n = 0;
  float f = 0;
  double d = 0;
  uint16_t h = 0;
  bool on = true;
  // CHECK: scalars: 0 -2 3 -0.5 0.25 3c00 0
  int32_t status = net_scalars(-3, 2, -1.5f, -0.75, 0x3800, true, &i, &n, &f, &d, &h, &on);
  printf("scalars: %d %d %d %g %g %x %d\n", (int)status, (int)i, (int)n, f, d, h, on);
  // CHECK: dropped: 0 1
  status = net_scalars(0, 0, 0, 0, 0, false, NULL, NULL, NULL, NULL, NULL, &on);
  printf("dropped: %d %d\n", (int)status, on);
}

static void print(const char *title, int32_t status, const lstm_tensor *r0, const lstm_tensor *r1) {
  const float *a = r0->data, *b = r1->data;
  printf("%s: %d [%g, %g, %g] [%g, %g, %g]\n", title, (int)status, a[0], a[1], a[2], b[0], b[1], b[2]);
}

/* Results that are the arguments themselves, written over them. */
static void testSwap(void) {
  float x[] = {1, 2, 3}, y[] = {4, 5, 6};
  const int64_t shape[] = {3};
  lstm_tensor a = lstm_make_tensor(x, LSTM_F32, 1, shape), b = lstm_make_tensor(y, LSTM_F32, 1, shape);
  lstm_tensor r0 = {0}, r1 = {0};
  // CHECK: swap: 0 [4, 5, 6] [1, 2, 3]
  int32_t status = net_swap(&a, &b, &r0, &r1);
  print("swap", status, &r0, &r1);
  printf("own memory: %d\n", r0.data != y && r1.data != x && r0.owner && r1.owner);
  // CHECK: own memory: 1
  net_free(&r0);
  net_free(&r1);
  // CHECK: in place: 0 [4, 5, 6] [1, 2, 3]
  status = net_swap(&a, &b, &a, &b);
  print("in place", status, &a, &b);
}

/* Constants, and one value twice. */
static void testConstant(void) {
  lstm_tensor r0 = {0}, r1 = {0};
  for (int i = 0; i < 2; ++i) {
    int32_t status = net_constant(&r0, &r1);
    print("constant", status, &r0, &r1);
    ((float *)r0.data)[0] = 7;
    printf("apart: %d\n", r0.data != r1.data && ((float *)r1.data)[0] != 7);
    net_free(&r0);
    net_free(&r1);
  }
  // CHECK: constant: 0 [1, 2, 4] [1, 2, 4]
  // CHECK: apart: 1
  // CHECK: constant: 0 [1, 2, 4] [1, 2, 4]
  // CHECK: apart: 1
}

/* An assertion of the program is a status, too; here with an output that fits. */
static void testPack(void) {
  float x[] = {1, 2, 3};
  int64_t shape[] = {3};
  lstm_tensor a = lstm_make_tensor(x, LSTM_F32, 1, shape), r0 = {0}, r1 = {0};
  // CHECK: pack: 0 [2, 4, 6] [2, 4, 6]
  int32_t status = net_pack(&a, &r0, &r1);
  print("pack", status, &r0, &r1);
  net_free(&r0);
  net_free(&r1);
  // CHECK: assertion: 5 error: assertion failed: there are three or more
  a.shape[0] = 2;
  status = net_pack(&a, &r0, &r1);
  printf("assertion: %d %s\n", (int)status, net_last_error());
}

int main(void) {
  testScalars();
  testSwap();
  testConstant();
  testPack();
  // CHECK: nothing: 0
  printf("nothing: %d\n", (int)net());
  return 0;
}
