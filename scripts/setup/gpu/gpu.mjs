// `npm run setup -- gpu [--dry-run] [--json]`: the libraries of an NVIDIA GPU, found or fetched, linked and tried.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { CommandError } from "../command.mjs";
import { cacheDir, packageDir } from "../paths.mjs";
import { ensurePython, hasGpuLibrary } from "../tensorflow.mjs";
import { fetchedFolder, fetchWheels, requirement } from "./fetch.mjs";
import { findLibraries, findTools, machineGpus, searchFolders, table } from "./find.mjs";
import { linkLibraries } from "./link.mjs";
import { smokeTest } from "./smoke.mjs";

/** What is here and what is missing, without changing anything. */
function inspectGpu() {
  const folders = searchFolders(fetchedFolder());
  const { cuda, found, missing } = findLibraries(folders);
  const tools = findTools([...folders, join(fetchedFolder(), "nvidia/cuda_nvcc/lib")]);
  return {
    gpus: machineGpus(),
    cuda,
    libraries: found.map(({ name, opened, file, wheel }) => ({ name, opened, file, wheel })),
    missing: [...new Set([...missing.map(({ wheel }) => wheel), ...(tools ? [] : [table.tools.wheel])])],
    tools,
    tensorflow: hasGpuLibrary(),
  };
}

function depsDir() {
  const require = createRequire(join(packageDir("jit"), "package.json"));
  return join(dirname(require.resolve("@tensorflow/tfjs-node-gpu/package.json")), "deps");
}

/** Finds, fetches and links. Fast and without effect where all is there. */
export async function ensureGpuLibraries(say) {
  let state = inspectGpu();
  if (state.missing.length > 0) {
    await fetchWheels(state.missing, { python: await ensurePython(), say });
    state = inspectGpu();
  }
  const absent = state.libraries.filter(({ file }) => !file).map(({ opened }) => opened);
  if (absent.length > 0)
    throw new Error(`${absent.join(", ")} are still missing after fetching their wheels`);
  const changed = linkLibraries(
    state.libraries.map((library) => ({ ...library, ...folderOf(library) })),
    {
      tools: state.tools,
      depsDir: depsDir(),
      linksRoot: join(cacheDir, "cuda"),
    },
  );
  return { ...state, changed };
}

const folderOf = ({ name }) => table.libraries.find((library) => library.name === name);

function tell(state) {
  const line = (good, what, more) =>
    process.stdout.write(`  ${good ? "✓" : "✗"} ${what.padEnd(20)} ${more}\n`);
  line(
    state.gpus.length > 0,
    "GPU",
    state.gpus.join(", ") || "none: neither nvidia-smi nor /proc/driver/nvidia lists one",
  );
  line(
    state.tensorflow,
    "libtensorflow",
    state.tensorflow ? "build for GPUs" : "build for GPUs to be fetched (572 MB)",
  );
  for (const { opened, file, wheel } of state.libraries)
    line(Boolean(file), opened, file ?? `to be fetched: ${requirement(wheel).split(" ")[0]}`);
  line(
    Boolean(state.tools),
    "libdevice",
    state.tools ?? `to be fetched: ${requirement(table.tools.wheel).split(" ")[0]}`,
  );
}

/** Returns the exit code. @param ensureAll sets up everything else, with libtensorflow for GPUs */
export async function setupGpu(args, ensureAll) {
  const unknown = args.filter((arg) => !["--dry-run", "--json"].includes(arg));
  if (unknown.length > 0) {
    process.stderr.write(`unknown option ${unknown[0]}: give --dry-run, --json or nothing\n`);
    return 2;
  }
  const state = inspectGpu();
  const complete = state.gpus.length > 0 && state.missing.length === 0 && state.tensorflow;
  if (args.includes("--json")) {
    process.stdout.write(`${JSON.stringify(state)}\n`);
    return complete ? 0 : 1;
  }
  tell(state);
  if (args.includes("--dry-run")) return complete ? 0 : 1;
  if (state.gpus.length === 0) {
    process.stderr.write("no GPU was found; install NVIDIA's driver if the machine has one\n");
    return 1;
  }
  const say = (what) => process.stdout.write(`  · ${what}\n`);
  await ensureAll();
  const findings = await smokeTest(say).catch((error) => {
    throw error instanceof CommandError ? new Error(`${error.message}\n${error.log}`) : error;
  });
  for (const { what, problem } of findings)
    process.stdout.write(problem ? `  ✗ ${what}: ${problem}\n` : `  ✓ ${what}\n`);
  return findings.some(({ problem }) => problem) ? 1 : 0;
}
