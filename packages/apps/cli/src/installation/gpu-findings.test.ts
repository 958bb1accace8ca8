import { expect, it } from "vitest";
import { gpuFindings } from "./gpu-findings.js";

const library = (opened: string, file?: string) => ({ opened, wheel: "nvidia-x", ...(file ? { file } : {}) });
const state = {
  cuda: "12",
  libraries: [
    library("libcudart.so.12", "/cuda/libcudart.so.12"),
    library("libcudnn.so.9"),
    library("libnccl.so.2"),
  ],
  tools: "/cuda",
  tensorflow: true,
};

it("doctor names each missing piece of a GPU with the command that brings it", () => {
  const findings = gpuFindings(["NVIDIA H100"], undefined, () => state);
  const missing = findings.filter(({ fix }) => fix !== "");
  expect(missing).toEqual([
    { what: "libcudnn.so.9", found: "missing", fix: "npx palimpsest setup gpu" },
    { what: "libnccl.so.2", found: "missing", fix: "npx palimpsest setup gpu" },
  ]);
  const whole = { ...state, libraries: state.libraries.slice(0, 1) };
  expect(gpuFindings(["NVIDIA H100"], undefined, () => whole).every(({ fix }) => fix === "")).toBe(true);
  expect(gpuFindings(["NVIDIA H100"], "", () => whole)[0]?.found).toContain(
    'hidden by CUDA_VISIBLE_DEVICES=""',
  );
});

it("without a GPU nothing is missing, and what cannot be looked for is said", () => {
  expect(gpuFindings([])).toEqual([{ what: "gpu", found: "none", fix: "" }]);
  expect(gpuFindings(["NVIDIA H100"], undefined, () => "garbage")[1]?.fix).toBe("npx palimpsest setup gpu");
});

it("the setup script answers doctor on this machine", () => {
  const findings = gpuFindings(["a GPU that this test says is there"], undefined);
  expect(findings.map(({ what }) => what)).toContain("libtensorflow for GPUs");
});
