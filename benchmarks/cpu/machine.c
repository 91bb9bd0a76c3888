// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the machine can do at most: machine THREADS fma | machine THREADS read BYTES
//
// Prints GFLOP/s of fused multiply-adds in f32, or GB/s of reading BYTES that each
// thread has to itself, of all threads together. The best of the trials of half a second.

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// KEPT keeps a vector in a register: "x" would be the first 16 alone.
#ifdef __AVX512F__
enum { vectorBytes = 64, accumulators = 20 };
#define KEPT "+v"
#elif defined(__AVX__)
enum { vectorBytes = 32, accumulators = 12 };
#define KEPT "+x"
#else
enum { vectorBytes = 16, accumulators = 12 };
#define KEPT "+x"
#endif
typedef float Vector __attribute__((vector_size(vectorBytes)));
enum { streams = 8, maxThreads = 64 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static size_t readBytes; // 0: multiply-adds
static long repetitions;
static pthread_barrier_t together;
static double begin[maxThreads], end[maxThreads], best;
static int threads, finished;

static void multiplyAdd(void) {
  // Zeros would draw less power than work does.
  Vector a[accumulators] = {0}, x = {0}, y = {0};
  x += 0.75f, y += 1.1f;
  for (long n = 0; n < repetitions; ++n) {
#pragma GCC unroll 32
    for (int i = 0; i < accumulators; ++i) {
      a[i] = a[i] * x + y;
      __asm__ volatile("" : KEPT(a[i]));
    }
  }
}

static void sweep(const char *buffer) {
  Vector sums[streams] = {0};
  for (long n = 0; n < repetitions; ++n)
    for (size_t at = 0; at < readBytes; at += streams * vectorBytes) {
#pragma GCC unroll 8
      for (int i = 0; i < streams; ++i) {
        sums[i] += *(const Vector *)(buffer + at + i * vectorBytes);
        __asm__ volatile("" : KEPT(sums[i]));
      }
    }
}

/// Binds a thread to the core of its number, of those that the process may use.
static void bind(int self) {
  cpu_set_t all, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof(all), &all))
    return;
  for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all) && found++ == self)
      CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof(one), &one);
}

static void *work(void *argument) {
  int self = (int)(intptr_t)argument;
  // A thread inherits what its creator is bound to: first create all.
  pthread_barrier_wait(&together);
  bind(self);
  char *buffer = NULL;
  if (readBytes) {
    buffer = aligned_alloc(4096, (readBytes + 4095) / 4096 * 4096);
    for (size_t at = 0; at < readBytes / sizeof(float); ++at)
      ((float *)buffer)[at] = 1.f + at % 7;
  }
  double start = now();
  for (int trial = 1;; ++trial) {
    pthread_barrier_wait(&together);
    if (finished)
      break;
    begin[self] = now();
    if (readBytes)
      sweep(buffer);
    else
      multiplyAdd();
    end[self] = now();
    pthread_barrier_wait(&together);
    if (self != 0)
      continue;
    double first = begin[0], last = end[0];
    for (int i = 1; i < threads; ++i) {
      first = begin[i] < first ? begin[i] : first;
      last = end[i] > last ? end[i] : last;
    }
    double unit = readBytes ? readBytes : 2. * accumulators * vectorBytes / sizeof(float);
    double rate = unit * repetitions * threads / (last - first) / 1e9;
    best = rate > best ? rate : best;
    finished = trial >= 10 && now() - start > 0.5;
  }
  free(buffer);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc > 1)
    threads = atoi(argv[1]);
  int reads = argc == 4 && !strcmp(argv[2], "read");
  if (threads < 1 || threads > maxThreads || (!reads && (argc != 3 || strcmp(argv[2], "fma")))) {
    fprintf(stderr, "usage: machine THREADS fma | machine THREADS read BYTES\n");
    return 1;
  }
  const size_t block = streams * vectorBytes;
  if (reads)
    readBytes = (strtoull(argv[3], NULL, 10) + block - 1) / block * block;
  // A trial takes some milliseconds; one sweep at least.
  repetitions = reads ? 1 + (50 << 20) / (long)readBytes : 200000;
  pthread_barrier_init(&together, NULL, threads);
  pthread_t others[maxThreads];
  for (int i = 1; i < threads; ++i)
    if (pthread_create(&others[i], NULL, work, (void *)(intptr_t)i))
      return 1;
  work(NULL);
  for (int i = 1; i < threads; ++i)
    pthread_join(others[i], NULL);
  printf("%.1f\n", best);
  return 0;
}
