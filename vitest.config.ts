import { defineConfig } from "vitest/config";

/** Packages whose tests leave nothing behind in their process: they share it, and load their modules once. */
const together = [
  "agents",
  "cli",
  "client",
  "datasets",
  "engines",
  "evals",
  "memory",
  "rewards",
  "scheduler",
  "telemetry",
  "trainer",
  "trajectories",
  "wire",
].map((name) => `packages/${name}/src/**/*.test.ts`);

export default defineConfig({
  resolve: { conditions: ["@palimpsest/source"] },
  ssr: { resolve: { conditions: ["@palimpsest/source"] } },
  test: {
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "together", include: together, isolate: false } },
      {
        // One fork per file: tfjs backends and servers are process-wide.
        extends: true,
        test: {
          name: "apart",
          include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: together,
        },
      },
    ],
  },
});
