//===- Device.cpp - What sessions of one context share --------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Status.h"

using namespace lstm::cuda;

constinit std::mutex lstm::cuda::mutex;

/// All that ever were in use, under the mutex.
static constinit Device *devices = nullptr;
static constinit uint64_t lastId = 0;

static Context findContext(int ordinal) {
  Context context = nullptr;
  if (!CU(cuCtxGetCurrent, &context) || context)
    return context;
  int device = 0;
  // Kept to the end of the process, as by the CUDA runtime.
  if (!CU(cuDeviceGet, &device, ordinal) || !CU(cuDevicePrimaryCtxRetain, &context, device) ||
      !CU(cuCtxSetCurrent, context))
    return nullptr;
  return context;
}

static Device *findDevice(Context context) {
  Device *device = devices;
  while (device && device->context != context)
    device = device->next;
  if (!device)
    device = devices = new Device{context, 0, 0, 0, 0, 0, {}, devices};
  return device;
}

Device *lstm::cuda::acquireDevice(int ordinal) {
  Context context = findContext(ordinal);
  int major = 0, minor = 0, multiprocessors = 0, number = 0;
  if (!context || !CU(cuCtxGetDevice, &number) ||
      !CU(cuDeviceGetAttribute, &major, attributeMajor, number) ||
      !CU(cuDeviceGetAttribute, &minor, attributeMinor, number) ||
      !CU(cuDeviceGetAttribute, &multiprocessors, attributeMultiprocessors, number))
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  Device *device = findDevice(context);
  if (device->users++ == 0) {
    device->ordinal = number;
    device->capability = 10 * major + minor;
    device->multiprocessors = multiprocessors;
    device->id = ++lastId;
  }
  return device;
}

void lstm::cuda::releaseDevice(Device *device) {
  std::lock_guard<std::mutex> lock(mutex);
  if (--device->users > 0)
    return;
  for (void *constant : device->constants)
    CU(cuMemFree, constant);
  device->constants.clear();
  device->id = 0;
}

bool lstm::cuda::makeCurrent(const Device *device) {
  Context current = nullptr;
  if (!CU(cuCtxGetCurrent, &current))
    return false;
  return current == device->context || CU(cuCtxSetCurrent, device->context);
}

static bool isInUse(uint64_t id) {
  for (const Device *device = devices; device; device = device->next)
    if (device->id == id)
      return true;
  return false;
}

Resident *lstm::cuda::addResident(void **state, uint64_t device, void *value) {
  auto *first = static_cast<Resident *>(__atomic_load_n(state, __ATOMIC_ACQUIRE));
  for (Resident *resident = first; resident; resident = resident->next) {
    if (isInUse(resident->device.load(std::memory_order_relaxed)))
      continue;
    resident->value = value;
    resident->sharedBytes.store(0, std::memory_order_relaxed);
    resident->hasLargeClusters.store(false, std::memory_order_relaxed);
    resident->device.store(device, std::memory_order_release);
    return resident;
  }
  auto *resident = new Resident{device, value, 0, false, first};
  __atomic_store_n(state, resident, __ATOMIC_RELEASE);
  return resident;
}
