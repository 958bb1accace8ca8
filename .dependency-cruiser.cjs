// The import direction of docs/architecture.md, as rules. Packages see only earlier rows.
const learning = "memory|datasets|model|agents|engines|rewards|learner|evals|small-world|checks";
const runtime = "head|node|client|worker|scheduler";
const inPackage = (names) => `^packages/[a-z]+/(${names})/`;

/** A package may import only these; itself and std always. */
const allowed = {
  std: [],
  wire: [],
  telemetry: [],
  scheduler: [],
  jit: [],
  memory: [],
  trajectories: ["wire", "telemetry", "memory"],
  head: ["wire", "telemetry", "scheduler"],
  node: ["wire", "telemetry"],
  client: ["wire", "telemetry"],
  worker: ["wire", "telemetry", "client"],
  autoscaler: ["wire", "telemetry", "scheduler"],
  datasets: ["trajectories"],
  model: ["jit", "memory"],
  agents: ["memory"],
  engines: ["memory"],
  rewards: ["trajectories", "memory", "engines"],
  learner: ["jit", "model", "trajectories"],
  "small-world": ["wire", "trajectories", "datasets", "agents", "jit", "model", "learner"],
  checks: ["trajectories", "agents", "rewards", "jit", "model", "learner"],
  dashboard: ["wire", "telemetry", "evals"],
  evals: ["trajectories", "memory", "datasets", "agents", "rewards", "engines"],
};

/** The folders of a package's src, or of a folder in it, from the top down: arrows between them point downwards only. Tests and their fixtures and doubles may look anywhere. */
const storeys = {
  head: ["start", "services", "rules", "tables", "store"],
  client: ["cluster", "mesh", "queue", "tasks", "actors", "calls", "values", "jobs", "session", "base"],
  node: ["node", "processes", "objects", "environments", "base"],
  trainer: [
    "run",
    "trackers",
    "actors",
    "engines",
    "plan",
    "rates",
    "records",
    "run-folder",
    "parts",
    "modules",
    "demonstrations",
    "weights",
    "groups",
    "recipe",
  ],
  wire: ["head", "network", "bulk", "security", "failures", "values", "machine", "protocol", "base"],
  worker: ["process", "host", "durable", "calls", "base"],
  cli: [
    "program",
    "commands",
    "mcp",
    "ask",
    "eval",
    "data",
    "training",
    "models",
    "documents",
    "serve",
    "cluster",
    "state",
    "installation",
    "display",
    "input",
  ],
  dashboard: ["server", "runs", "analysis", "api"],
  jit: ["modules", "ops", "emit", "backend", "trace", "base"],
  model: [
    "models",
    "hub",
    "text",
    "sampler",
    "single",
    "gguf",
    "files",
    "forward",
    "jinja",
    "tokens",
    "base",
  ],
  "model/sampler": ["pages", "slots", "single", "batch", "calls", "draw", "weights"],
  learner: ["learner", "step", "checkpoint", "memory", "state", "together", "rows", "loss", "config"],
  trajectories: ["run", "work", "groups", "jobs", "store", "codec", "redis", "base"],
};

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      // Of types too: files that know each other can only be read together.
      to: { circular: true },
    },
    {
      name: "wing-runtime-sees-neither-learning-nor-apps",
      severity: "error",
      from: { path: "^packages/runtime/" },
      to: { path: "^packages/(learning|apps)/" },
    },
    {
      name: "wing-learning-never-sees-apps",
      severity: "error",
      from: { path: "^packages/learning/" },
      to: { path: "^packages/apps/" },
    },
    {
      name: "head-node-worker-meet-in-protos",
      severity: "error",
      from: { path: inPackage("head") },
      to: { path: inPackage("node|worker|client") },
    },
    {
      name: "node-knows-no-worker-code",
      severity: "error",
      from: { path: inPackage("node") },
      to: { path: inPackage("head|worker|client") },
    },
    {
      name: "worker-knows-no-node-code",
      severity: "error",
      from: { path: inPackage("worker") },
      to: { path: inPackage("head|node") },
    },
    {
      name: "learning-never-imports-runtime",
      severity: "error",
      from: { path: inPackage(learning) },
      to: { path: inPackage(runtime) },
    },
    {
      name: "only-cli-imports-trainer",
      severity: "error",
      from: { path: "^packages/", pathNot: inPackage("trainer|cli") },
      to: { path: inPackage("trainer") },
    },
    {
      name: "agents-never-see-tensors",
      severity: "error",
      from: { path: inPackage("agents") },
      to: { path: `@tensorflow|${inPackage("model|jit")}` },
    },
    {
      name: "serve-sees-model-and-wire-only",
      severity: "error",
      from: { path: "^packages/apps/cli/src/serve/", pathNot: "/testing\\.ts$" },
      to: { path: "^packages/", pathNot: inPackage("cli/src/serve|memory|model|std|telemetry|wire") },
    },
    {
      name: "formats-of-models-share-files",
      severity: "error",
      from: { path: "^packages/learning/model/src/files/" },
      to: { path: "^packages/learning/model/src/(gguf|hub|sampler|text|single)/" },
    },
    {
      name: "nothing-imports-cli",
      severity: "error",
      from: { path: "^packages/", pathNot: inPackage("cli") },
      to: { path: inPackage("cli") },
    },
    ...Object.entries(allowed).map(([name, others]) => ({
      name: `${name}-sees-earlier-rows-only`,
      severity: "error",
      from: { path: inPackage(name) },
      to: { path: "^packages/", pathNot: inPackage(["std", name, ...others].join("|")) },
    })),
    ...Object.entries(storeys).flatMap(([name, folders]) => {
      const [house, ...rooms] = name.split("/");
      const within = ["^packages/[a-z]+", house, "src", ...rooms].join("/");
      const known = `${within}/(${folders.join("|")})/`;
      const fixture = "\\.fixture\\.ts$";
      return [
        {
          name: `${name}-storeys-never-see-the-roof`,
          severity: "error",
          from: { path: known, pathNot: fixture },
          to: { path: `${within}/[^/]+$` },
        },
        {
          name: `${name}-folders-are-storeys`,
          severity: "error",
          from: { path: `${within}/[^/]+/`, pathNot: `${known}|/(testing|faults)/` },
          to: {},
        },
        ...folders.slice(1).map((folder, above) => ({
          name: `${name}-storey-${folder}-looks-down-only`,
          severity: "error",
          from: { path: `${within}/${folder}/`, pathNot: fixture },
          to: { path: `${within}/(${folders.slice(0, above + 1).join("|")})/` },
        })),
      ];
    }),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|generated)/|\\.test\\.ts$" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.test.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@palimpsest/source", "import", "types", "default"],
    },
  },
};
