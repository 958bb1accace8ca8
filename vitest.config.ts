import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["@palimpsest/source"] },
  ssr: { resolve: { conditions: ["@palimpsest/source"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    // One fork per file: tfjs backends and gRPC servers are process-wide.
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
