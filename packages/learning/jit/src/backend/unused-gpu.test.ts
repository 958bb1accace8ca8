import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { loadBackend } from "./backend.js";
import { machineGpus, missingGpu, unusedGpu } from "./unused-gpu.js";

const folder = fileFolder();
const environment = Object.fromEntries(
  ["PATH", "PALIMPSEST_CACHE", "CUDA_VISIBLE_DEVICES"].map((name) => [name, process.env[name]]),
);
afterEach(() => {
  for (const [name, value] of Object.entries(environment))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});

/** Answers as the program does for a GPU that is not there. */
function pretendGpu(): void {
  const file = join(folder, "nvidia-smi");
  writeFileSync(file, "#!/bin/sh\necho 'Pretended GPU of a test'\n");
  chmodSync(file, 0o755);
  // The compile cache of that GPU.
  process.env["PALIMPSEST_CACHE"] = join(folder, "cache");
  process.env["PATH"] = `${folder}${delimiter}${environment["PATH"]}`;
  delete process.env["CUDA_VISIBLE_DEVICES"];
}

const onCpu = { name: "tensorflow", gpu: false, passedOver: [] };

describe("a backend on the CPU of a machine with a GPU", () => {
  it("says so in one line, with the reason and the command", async () => {
    pretendGpu();
    const { gpuUnused } = await loadBackend();
    expect(gpuUnused).toBe(
      "this machine has Pretended GPU of a test, but the backend computes on the CPU: libtensorflow is the build for CPUs, or it does not find the libraries of CUDA, cuDNN or NCCL; run `npx palimpsest setup gpu`",
    );
  });

  it("is refused where a GPU was asked for", async () => {
    pretendGpu();
    await expect(loadBackend({ device: "gpu" })).rejects.toMatchObject({
      code: "BACKEND_UNAVAILABLE",
      message: expect.stringMatching(/no GPU can be used: this machine has Pretended GPU.*setup gpu/),
    });
    process.env["CUDA_VISIBLE_DEVICES"] = "";
    await expect(loadBackend({ device: "gpu" })).rejects.toThrow(
      /CUDA_VISIBLE_DEVICES="" hides Pretended GPU/,
    );
  });

  it("is somebody's will where the variable hides the GPU", () => {
    for (const visible of ["", "-1", " "]) expect(unusedGpu(onCpu, visible, ["a GPU"])).toBeUndefined();
    expect(unusedGpu(onCpu, "0", ["a GPU"])).toContain("a GPU");
    expect(unusedGpu({ ...onCpu, gpu: true }, undefined, ["a GPU"])).toBeUndefined();
    expect(
      unusedGpu({ name: "wasm", gpu: false, passedOver: ["tensorflow: no addon"] }, undefined, ["a GPU"]),
    ).toContain("tensorflow: no addon");
  });
});

it("without a GPU nothing is said, and one that is asked for is refused", () => {
  expect(unusedGpu(onCpu, undefined, [])).toBeUndefined();
  expect(missingGpu(onCpu, undefined, [])).toContain("no GPU that nvidia-smi or /proc/driver/nvidia");
});

it("the driver's own list counts where nvidia-smi is not there", () => {
  process.env["PATH"] = folder.concat("-nothing");
  const driver = join(folder, "gpus");
  mkdirSync(join(driver, "0000:61:00.0"), { recursive: true });
  expect(machineGpus(driver)).toEqual(["GPU at 0000:61:00.0"]);
  expect(machineGpus(join(folder, "absent"))).toEqual([]);
});
