// Read before each source of tfjs's addon. Large arrays pass between JavaScript and TensorFlow in memory that is used again, copied by
// several threads: the first use of new memory, page by page, takes several times as long as the copy. The addon gets one function more,
// copyTensorData(id, target), which fills a typed array of the tensor's size instead of making a new one.
#pragma once
#include <node_api.h>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/eager/c_api.h"
// The tensors of the addon are private to its class.
#define private public
#include "binding/tfjs_backend.h"
#undef private

namespace palimpsest {

constexpr size_t kLargeBytes = size_t{1} << 20;
constexpr size_t kHugePageBytes = size_t{1} << 21;
constexpr size_t kKeptBytes = size_t{1} << 28;
/** What TensorFlow uses without a copy of its own. */
constexpr size_t kAlignmentBytes = 64;

inline void copy_large(void* to, const void* from, size_t bytes) {
  const size_t parts = std::max<size_t>(1, std::min<size_t>({4, std::thread::hardware_concurrency() / 4, bytes >> 22}));
  const size_t part_bytes = (bytes / parts + kAlignmentBytes) & ~(kAlignmentBytes - 1);
  auto copy_part = [=](size_t part) {
    const size_t at = std::min(bytes, part * part_bytes);
    std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, std::min(part_bytes, bytes - at));
  };
  std::vector<std::thread> threads;
  size_t begun = 1;
  try {
    for (; begun < parts; begun++) threads.emplace_back(copy_part, begun);
  } catch (const std::system_error&) {
    // The system has no thread left: this one copies the rest.
  }
  copy_part(0);
  for (size_t part = begun; part < parts; part++) copy_part(part);
  for (std::thread& thread : threads) thread.join();
}

/** Blocks of host memory, of which some are kept for the next use. TensorFlow gives them back from any thread. */
class HostBlocks {
 public:
  static HostBlocks& shared() {
    // Never destroyed, because TensorFlow's threads may end after static objects.
    static HostBlocks* blocks = new HostBlocks();
    return *blocks;
  }

  void* take(size_t bytes) {
    const size_t wanted = (bytes + kHugePageBytes - 1) & ~(kHugePageBytes - 1);
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = free_.lower_bound(wanted);
    if (found != free_.end() && found->first <= 2 * wanted) {
      void* block = found->second;
      kept_bytes_ -= found->first;
      free_.erase(found);
      return block;
    }
    void* block = nullptr;
    if (posix_memalign(&block, kHugePageBytes, wanted) != 0) return nullptr;
#ifdef __linux__
    madvise(block, wanted, MADV_HUGEPAGE);
#endif
    sizes_[block] = wanted;
    return block;
  }

  void give(void* block) {
    std::lock_guard<std::mutex> lock(mutex_);
    const size_t bytes = sizes_[block];
    if (kept_bytes_ + bytes <= kKeptBytes) {
      free_.emplace(bytes, block);
      kept_bytes_ += bytes;
      return;
    }
    sizes_.erase(block);
    std::free(block);
  }

 private:
  std::mutex mutex_;
  std::multimap<size_t, void*> free_;
  std::unordered_map<void*, size_t> sizes_;
  size_t kept_bytes_ = 0;
};

/** TF_NewTensor, which copies data that is not aligned into new memory, but a large array into a block. */
inline TF_Tensor* new_tensor(TF_DataType type, const int64_t* shape, int dimensions, void* data, size_t bytes,
                             void (*done)(void*, size_t, void*), void* argument) {
  const bool aligned = reinterpret_cast<uintptr_t>(data) % kAlignmentBytes == 0;
  void* block = bytes < kLargeBytes || aligned ? nullptr : HostBlocks::shared().take(bytes);
  if (block == nullptr) return TF_NewTensor(type, shape, dimensions, data, bytes, done, argument);
  copy_large(block, data, bytes);
  done(data, bytes, argument);
  auto give_back = [](void* given, size_t, void*) { HostBlocks::shared().give(given); };
  return TF_NewTensor(type, shape, dimensions, block, bytes, give_back, nullptr);
}

inline napi_value copy_tensor_data(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value given[2];
  int32_t id = 0;
  napi_typedarray_type type;
  size_t length = 0;
  void* target = nullptr;
  tfnodejs::TFJSBackend* backend = nullptr;
  auto refuse = [env](const std::string& problem) -> napi_value {
    napi_throw_error(env, nullptr, problem.c_str());
    return nullptr;
  };
  if (napi_get_cb_info(env, info, &count, given, nullptr, nullptr) != napi_ok || count != 2 ||
      napi_get_value_int32(env, given[0], &id) != napi_ok ||
      napi_get_typedarray_info(env, given[1], &type, &length, &target, nullptr, nullptr) != napi_ok ||
      napi_get_instance_data(env, reinterpret_cast<void**>(&backend)) != napi_ok || backend == nullptr)
    return refuse("copyTensorData: give a tensor's id and a typed array");
  auto found = backend->tfe_handle_map_.find(id);
  if (found == backend->tfe_handle_map_.end())
    return refuse("copyTensorData: tensor " + std::to_string(id) + " is not there");
  TF_Status* status = TF_NewStatus();
  TF_Tensor* tensor = TFE_TensorHandleResolve(found->second, status);
  const std::string failed = TF_GetCode(status) == TF_OK ? "" : TF_Message(status);
  TF_DeleteStatus(status);
  if (tensor == nullptr || !failed.empty()) return refuse("copyTensorData: " + failed);
  const bool is_short = type == napi_uint16_array || type == napi_int16_array;
  const bool is_byte = type == napi_uint8_array || type == napi_int8_array || type == napi_uint8_clamped_array;
  const bool is_long = type == napi_float64_array || type == napi_bigint64_array || type == napi_biguint64_array;
  const size_t target_bytes = length * (is_byte ? 1 : is_short ? 2 : is_long ? 8 : 4);
  const size_t bytes = TF_TensorByteSize(tensor);
  if (bytes == target_bytes) copy_large(target, TF_TensorData(tensor), bytes);
  TF_DeleteTensor(tensor);
  if (bytes != target_bytes)
    return refuse("copyTensorData: the tensor has " + std::to_string(bytes) + " bytes, the array " +
                  std::to_string(target_bytes));
  return nullptr;
}

inline napi_value with_own_functions(napi_env env, napi_value exports) {
  napi_value function = nullptr;
  if (napi_create_function(env, "copyTensorData", NAPI_AUTO_LENGTH, copy_tensor_data, nullptr, &function) == napi_ok)
    napi_set_named_property(env, exports, "copyTensorData", function);
  return exports;
}

}  // namespace palimpsest

#define TF_NewTensor palimpsest::new_tensor
#undef NAPI_MODULE
#define NAPI_MODULE(name, init) \
  NAPI_MODULE_INIT() { return ::palimpsest::with_own_functions(env, init(env, exports)); }
