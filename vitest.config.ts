import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { builtFiles, builtModules } from "./test/support/built-modules.js";
import { oneThread, quickCompilation } from "./test/support/quick-compilation.js";

/**
 * Tests that leave nothing behind in their process: they share it, and load their modules once. Those of whole clusters
 * are among them: what they start are processes of the command.
 */
const together = [
  "test/!(bundle|linear-cost|liveness|setup-gpu|setup-imports|value-store).test.ts",
  "test/stories/*.test.ts",
  "test/chaos/*.test.ts",
  "test/conformance/*.test.ts",
  ...[
    "agents",
    "autoscaler",
    "cli",
    "dashboard",
    "datasets",
    "engines",
    "evals",
    "head",
    "memory",
    "node",
    "rewards",
    "scheduler",
    "small-world",
    "std",
    "telemetry",
    "trainer",
    "trajectories",
    "worker",
  ].map((name) => `packages/*/${name}/src/**/*.test.ts`),
  // What it resets would register the codec of values once more, in place of that of the process. The others depend on the
  // memory that the C library gives a process.
  "packages/runtime/{client,wire}/src/**/!(environment-faults|mapped-files|value-files).test.ts",
];

/**
 * Packages that compute with tensors: each file activates its backend itself, so that they too share a process and load
 * tfjs once. A file whose name ends in `-memory` measures memory and gets a process of its own, and so do those of jit
 * that try what a process does once: how a backend is started, and what is patched in it. So does `xla.test.ts`, which
 * compiles as a user's process does.
 */
const tensors = [
  ...["checks", "learner", "model"].map((name) => `packages/learning/${name}/src/**/!(*-memory|xla).test.ts`),
  "packages/learning/jit/src/**/!(backend|binding-patches|thousands-of-calls|wasm-threads).test.ts",
];

/**
 * Tests whose numbers depend on how a CPU multiplies in bfloat16: where the CPU has AVX-512 they run a second time as on one
 * that has none, and that rounds sums in between.
 */
const plainCpu = {
  include: [
    "jit/src/modules/{precision,rounded-value}",
    "model/src/{base/chosen-precision,forward/half-forward,sampler/pages/rough-logits}",
  ].map((name) => `packages/learning/${name}.test.ts`),
  env: {
    ...quickCompilation,
    ONEDNN_MAX_CPU_ISA: "AVX2",
    TF_ENABLE_ONEDNN_OPTS: "0",
    PALIMPSEST_CPU_BFLOAT16: "off",
  },
};
const cpuFacts = "/proc/cpuinfo";
const hasAvx512 = existsSync(cpuFacts) && readFileSync(cpuFacts, "utf8").includes(" avx512f ");

/** Each file has a process of its own, since what it starts, tries or measures is process-wide. They compute more than they wait. */
const alone = [
  "packages/learning/{jit,learner,model}/src/**/*.test.ts",
  "test/{fuzz,learning,simulation}/*.test.ts",
];

const containers = "test/containers/*.test.ts";

/** As many test files at a time as there are cores. More than four would want more memory than a small machine has. */
const maxWorkers = Math.min(4, availableParallelism());

/** Tests of processes wait for half of their time, for leases, restarts and ends: with one more file at a time no core is idle. */
const waiting = { maxWorkers: Math.min(4, availableParallelism() + 1) };

/**
 * Tests that compute more than they wait. `npm test` runs them beside the tests of processes, which they yield to, so that
 * they need more time than alone. In one run of vitest they come after those.
 */
const computing = { maxWorkers, sequence: { groupOrder: 1 } };

/**
 * Most code of tests runs a few times: V8 optimizes it after fifteen times as much of it as by default has run, which
 * saves 7 % of the processor time. Only the V8 of Node 20 has this flag, and others refuse to start with it.
 */
const lateOptimization = process.versions.node.startsWith("20.") ? ["--interrupt-budget=1000000"] : [];

/** What takes ten seconds of processor time and more, or waits for as long, the longest first. vitest knows it after a first run only, and begins with large files then. */
const long = [
  "test/packages",
  "chaos/training",
  "stories/09-18-adapters-and-asynchronous-steps",
  "learning/hosts",
  "stories/03-jobs",
  "stories/14-your-own-agent",
  "simulation/simulation",
  "test/examples",
  "test/upgrade",
  "stories/06-metrics",
  "learner/src/together/together",
  "test/verbs",
  "stories/21-one-command",
  "dashboard/profile-page",
  "test/user-texts",
  "stories/17-engines",
  "sampler/single/single-request",
  "learning/rememr1-learns",
  "stories/07-talking-to-a-model",
  "sampler/attention-kinds",
  "sampler/model-sampler",
  "test/liveness",
  "learning/grpo-learns",
  "test/transfer",
  "dashboard/cluster-pages",
  "stories/12-training-an-editor",
  "sampler/speculation",
  "sampler/slots/slots",
  "stories/01-one-trajectory",
  "stories/20-several-learners",
  "dashboard/run-pages",
  "chaos/order-proof",
  "forward/forward-forms",
  "stories/11-asking-about-a-document",
  "learning/two-hop-learns",
  "learner/src/step/step-at-once",
  "test/value-store",
  "sampler/weights/half-weights",
  "trainer/src/recipe/recipes",
  "evals/src/board/board",
  "node/src/node/node-manager",
  "test/durable",
  "test/lineage",
  "test/autoscaling",
  "learning/memupdate-learns",
  "src/learner/gates",
  "sampler/long-prompts",
  "jit/src/base/memory-shortage",
  "learner/src/learner/replicas",
  "conformance/tasks",
  "head/src/start/standby",
  "head/src/store/embedded-redis",
].map((name) => `/${name}.test.ts`);

/** Begins with the long files of each project, so that no core is idle while the last of them ends. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = new Set(sorted.map(({ project }) => project));
    const place = ({ moduleId }: TestSpecification) => {
      const found = long.findIndex((name) => moduleId.endsWith(name));
      return found === -1 ? long.length : found;
    };
    return [...projects].flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => place(a) - place(b)),
    );
  }
}

export default defineConfig({
  plugins: [builtModules()],
  test: {
    globalSetup: "./test/support/fresh-build.ts",
    server: { deps: { external: [builtFiles] } },
    pool: "forks",
    // What tests make is let go soon: a young generation of 64 MiB is collected a tenth as often as one of the default size.
    execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=64", ...lateOptimization],
    sequence: { sequencer: LongFirst },
    // These limits are the only ones of tests and of what they poll. They end what hangs and judge no speed: a test that takes
    // a minute on two free cores takes a quarter of an hour on one core beside a load of eight.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 600_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: together,
          isolate: false,
          env: quickCompilation,
          ...waiting,
        },
      },
      {
        extends: true,
        test: {
          name: "tensors",
          include: tensors,
          isolate: false,
          env: { ...quickCompilation, ...oneThread },
          ...computing,
        },
      },
      ...(hasAvx512
        ? [{ extends: true as const, test: { name: "plain-cpu", isolate: false, ...plainCpu, ...computing } }]
        : []),
      {
        extends: true,
        test: { name: "alone", include: alone, exclude: tensors, ...computing },
      },
      {
        // One fork per file: what they start is process-wide.
        extends: true,
        test: {
          name: "apart",
          include: ["packages/*/*/src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...together, ...tensors, ...alone, containers],
          ...waiting,
        },
      },
      {
        // `npm run containers` runs it, and `npm test` does not: it builds images for minutes.
        extends: true,
        test: { name: "containers", include: [containers], maxWorkers: 1 },
      },
    ],
  },
});
