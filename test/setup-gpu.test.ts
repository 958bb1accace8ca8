import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

interface Library {
  readonly name: string;
  readonly opened: string;
  readonly file?: string;
  readonly folder: string;
  readonly majors: Readonly<Record<string, number>>;
}
interface Found {
  readonly cuda: string;
  readonly found: readonly Library[];
  readonly missing: readonly Library[];
}

const root = fileURLToPath(new URL("..", import.meta.url));
const scripts = join(root, "scripts/setup/gpu");
const { findLibraries, findTools, machineGpus, table } = (await import(join(scripts, "find.mjs"))) as {
  findLibraries: (folders: readonly string[]) => Found;
  findTools: (folders: readonly string[]) => string | undefined;
  machineGpus: (driver: string, environment?: Record<string, string>) => string[];
  table: { libraries: readonly Library[]; wheels: Record<string, { version: string; sha256: string }> };
};
const { linkLibraries } = (await import(join(scripts, "link.mjs"))) as {
  linkLibraries: (
    found: readonly Library[],
    places: { tools?: string; depsDir: string; linksRoot: string },
  ) => boolean;
};
const { requirement } = (await import(join(scripts, "fetch.mjs"))) as {
  requirement: (wheel: string) => string;
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-setup-gpu-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Makes a folder of empty files with the names that this version of CUDA has. */
function cudaFolder(cuda: "12" | "13", without: readonly string[] = []): string {
  const lib = join(folder, `cuda-${cuda}/lib64`);
  mkdirSync(lib, { recursive: true });
  for (const { name, majors } of table.libraries)
    if (majors[cuda] !== undefined && !without.includes(name))
      writeFileSync(join(lib, `lib${name}.so.${majors[cuda]}`), "");
  return lib;
}

describe("findLibraries", () => {
  it("takes CUDA 12 where it is whole, and names what lacks otherwise", () => {
    expect(findLibraries([cudaFolder("12")]).missing).toEqual([]);
    const { cuda, missing } = findLibraries([cudaFolder("12"), cudaFolder("13")]);
    expect([cuda, missing]).toEqual(["12", []]);
    rmSync(join(folder, "cuda-12"), { recursive: true });
    rmSync(join(folder, "cuda-13"), { recursive: true });
    const names = findLibraries([cudaFolder("12", ["cudnn", "nccl"])]).missing.map(({ opened }) => opened);
    expect(names).toEqual(["libcudnn.so.9", "libnccl.so.2"]);
  });

  it("takes CUDA 13 under the names of 12, but never its cudart", () => {
    const { cuda, found, missing } = findLibraries([cudaFolder("13")]);
    expect(cuda).toBe("13");
    expect(missing.map(({ opened }) => opened)).toEqual(["libcudart.so.12"]);
    expect(found.find(({ name }) => name === "cufft")).toMatchObject({
      opened: "libcufft.so.11",
      file: expect.stringMatching(/libcufft\.so\.12$/),
    });
  });

  it("does not mix the two: with a part of 13, what 12 lacks is fetched", () => {
    const { cuda, missing } = findLibraries([cudaFolder("13", ["cublas"])]);
    expect(cuda).toBe("12");
    expect(missing.map(({ name }) => name)).toContain("cublas");
  });
});

it("links stand where libtensorflow's run path leads, and a second time nothing changes", () => {
  const { found } = findLibraries([cudaFolder("12")]);
  writeFileSync(join(folder, "cuda-12/lib64/libcudnn_graph.so.9"), "");
  mkdirSync(join(folder, "cuda-12/nvvm/libdevice"), { recursive: true });
  writeFileSync(join(folder, "cuda-12/nvvm/libdevice/libdevice.10.bc"), "");
  const tools = findTools([join(folder, "cuda-12/lib64")]);
  expect(tools).toBe(join(folder, "cuda-12"));
  const places = { tools: tools as string, depsDir: join(folder, "deps"), linksRoot: join(folder, "cache") };
  expect(linkLibraries(found, places)).toBe(true);
  for (const { opened, folder: part, file } of found)
    expect(realpathSync(join(folder, "deps/nvidia", part, "lib", opened))).toBe(realpathSync(file as string));
  // The libraries that cuDNN opens by itself are in the same folder.
  expect(existsSync(join(folder, "deps/nvidia/cudnn/lib/libcudnn_graph.so.9"))).toBe(true);
  expect(readlinkSync(join(folder, "deps/nvidia/cuda_nvcc"))).toBe(tools);
  expect(linkLibraries(found, places)).toBe(false);
});

it("every library has a wheel that is pinned by version and hash", () => {
  for (const { wheel } of table.libraries as readonly (Library & { wheel: string })[])
    expect(requirement(wheel)).toMatch(/^nvidia-[a-z-]+-cu12==[\d.]+ --hash=sha256:[0-9a-f]{64}$/);
});

it("a driver without nvidia-smi has its GPUs all the same", () => {
  const path = process.env["PATH"];
  process.env["PATH"] = folder;
  try {
    mkdirSync(join(folder, "gpus/0000:61:00.0"), { recursive: true });
    expect(machineGpus(join(folder, "gpus"))).toEqual(["GPU at 0000:61:00.0"]);
    expect(machineGpus(join(folder, "none"))).toEqual([]);
    // This is how deploy/Dockerfile builds an image for a machine with a GPU on one without.
    expect(machineGpus(join(folder, "none"), { PALIMPSEST_ASSUME_GPU: "NVIDIA" })).toEqual(["NVIDIA"]);
  } finally {
    process.env["PATH"] = path;
  }
});

/** Runs setup on a machine whose GPU is simulated by a script, with the libraries of a folder. */
function setupGpu(
  args: readonly string[],
  libraries: string,
): { readonly code: number; readonly out: string } {
  const smi = join(folder, "nvidia-smi");
  writeFileSync(smi, "#!/bin/sh\necho 'Pretended GPU of a test'\n");
  chmodSync(smi, 0o755);
  const environment: Record<string, string | undefined> = {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env["PATH"]}`,
    PALIMPSEST_CUDA: libraries,
    PALIMPSEST_CACHE: join(folder, "cache"),
  };
  delete environment["PALIMPSEST_TENSORFLOW"];
  try {
    const out = execFileSync(process.execPath, [join(root, "scripts/setup.mjs"), "gpu", ...args], {
      env: environment,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    return { code: 0, out };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { code: status, out: stdout };
  }
}

describe("npm run setup -- gpu --dry-run", () => {
  it("says where each piece is and what would be fetched, and changes nothing", () => {
    const { code, out } = setupGpu(["--dry-run"], cudaFolder("12", ["nccl"]));
    expect(code).toBe(1);
    expect(out).toMatch(/✓ GPU +Pretended GPU of a test/);
    expect(out).toMatch(/✗ libtensorflow +build for GPUs to be fetched/);
    expect(out).toMatch(/✓ libcudnn\.so\.9 +\S*\/cuda-12\/lib64\/libcudnn\.so\.9/);
    expect(out).toMatch(/✗ libnccl\.so\.2 +to be fetched: nvidia-nccl-cu12==2\.\d+/);
    expect(existsSync(join(folder, "cache"))).toBe(false);
  });

  it("as JSON for doctor, and refuses what it does not know", () => {
    const { out } = setupGpu(["--json"], cudaFolder("12", ["cudnn"]));
    const state = JSON.parse(out) as { gpus: string[]; missing: string[] };
    expect(state.gpus).toEqual(["Pretended GPU of a test"]);
    expect(state.missing).toContain("nvidia-cudnn-cu12");
    expect(setupGpu(["--wet-run"], "").code).toBe(2);
  });
});

it("no index of packages is named in what is committed", () => {
  for (const file of ["fetch.mjs", "libraries.json", "gpu.mjs"])
    expect(readFileSync(join(scripts, file), "utf8")).not.toMatch(/https?:|index-url/);
});
