import { expect, test } from "vitest";
import { type CacheKey, cacheName, compileCacheEnvironment, compileCacheFolder } from "./compile-cache.js";

const key: CacheKey = { gpus: ["NVIDIA H100 80GB HBM3"], libraries: ["libtensorflow.so 1 2"], flags: "" };

test("a folder of compiled programs is for one GPU, one libtensorflow and one set of flags", () => {
  const others: CacheKey[] = [
    { ...key, gpus: ["NVIDIA H200"] },
    { ...key, libraries: ["libtensorflow.so 1 3"] },
    { ...key, flags: "--xla_gpu_deterministic_ops=true" },
  ];
  const names = [key, ...others].map(cacheName);
  expect(new Set(names).size).toBe(names.length);
  expect(cacheName(key)).toBe(names[0]);
  for (const name of names) expect(name).toMatch(/^NVIDIA-H[12]00[A-Za-z0-9-]*-[0-9a-f]{16}$/);
});

test("TensorFlow is told of the folder, and what the environment says wins", () => {
  expect(compileCacheEnvironment("/cache")).toEqual({
    TF_XLA_FLAGS: "--tf_xla_persistent_cache_directory=/cache",
  });
  expect(compileCacheEnvironment(compileCacheFolder({ TF_XLA_FLAGS: "" }))).toEqual({});
});
