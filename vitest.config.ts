import { defineConfig } from "vitest/config";

/**
 * Tests that leave nothing behind in their process: they share it, and load their modules once. Those of whole clusters
 * are among them: what they start are processes of the command.
 */
const together = [
  "test/stories/*.test.ts",
  "test/chaos/*.test.ts",
  ...[
    "agents",
    "autoscaler",
    "cli",
    "client",
    "datasets",
    "engines",
    "evals",
    "head",
    "memory",
    "node",
    "rewards",
    "scheduler",
    "telemetry",
    "trainer",
    "trajectories",
    "wire",
    "worker",
  ].map((name) => `packages/${name}/src/**/*.test.ts`),
];

/**
 * Packages that compute with tensors: each file activates its backend itself, so that they too share a process and load
 * tfjs once. A file whose name ends in `-memory` measures memory and gets a process of its own, and so do those of jit
 * that try what a process does once: how a backend is started, and what is patched in it.
 */
const tensors = [
  ...["learner", "model"].map((name) => `packages/${name}/src/**/!(*-memory).test.ts`),
  "packages/jit/src/!(backend|binding-patches|thousands-of-calls|wasm-threads).test.ts",
];

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
      { extends: true, test: { name: "tensors", include: tensors, isolate: false } },
      {
        // One fork per file: what they start, and the backends that they try, are process-wide.
        extends: true,
        test: {
          name: "apart",
          include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...together, ...tensors],
        },
      },
    ],
  },
});
