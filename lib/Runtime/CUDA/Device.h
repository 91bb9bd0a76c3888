//===- Device.h - What sessions of one context share ------------*- C++ -*-===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LSTM_LIB_RUNTIME_CUDA_DEVICE_H
#define LSTM_LIB_RUNTIME_CUDA_DEVICE_H

#include "Driver.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace lstm::cuda {

/// A context of the driver that is in use.
struct Device {
  Context context;
  int ordinal;
  /// 90 is capability 9.0.
  int capability;
  int multiprocessors;
  /// Another one each time that the context comes into use: a context that was destroyed
  /// may have the address of a later one.
  uint64_t id;
  int64_t users;
  /// Memory of constants, which goes with the last user.
  std::vector<void *> constants;
  Device *next;
};

/// Takes the current context into use or, if there is none, makes the primary context of
/// the device current. Null after a failure.
Device *acquireDevice(int ordinal = 0);
void releaseDevice(Device *device);

bool makeCurrent(const Device *device);

/// A kernel or a constant on one device: the `state` in a generated object is a list of
/// them. They belong to the runtime and are found without a lock.
struct Resident {
  std::atomic<uint64_t> device;
  void *value;
  /// How much dynamic shared memory a kernel may have.
  std::atomic<int32_t> sharedBytes;
  /// Whether its clusters may have more blocks than any device takes.
  std::atomic<bool> hasLargeClusters;
  Resident *next;
};

inline Resident *findResident(void *const *state, uint64_t device) {
  auto *resident = static_cast<Resident *>(__atomic_load_n(state, __ATOMIC_ACQUIRE));
  while (resident && resident->device.load(std::memory_order_acquire) != device)
    resident = resident->next;
  return resident;
}

/// Adds to the list, under the mutex. Takes the place of one whose device is out of use.
Resident *addResident(void **state, uint64_t device, void *value);

/// For what is made once for all threads.
extern std::mutex mutex;

} // namespace lstm::cuda

#endif // LSTM_LIB_RUNTIME_CUDA_DEVICE_H
