// Where the libraries are that libtensorflow's GPU build opens. It knows them by the names of CUDA 12; those of CUDA 13 serve
// under these names, except for cudart, which must be CUDA 12's own.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { output, which } from "../command.mjs";

export const table = JSON.parse(readFileSync(new URL("libraries.json", import.meta.url), "utf8"));

/**
 * GPUs of this machine by name; of a driver without nvidia-smi by their place on the bus. PALIMPSEST_ASSUME_GPU names one that is
 * not here: an image for GPUs is built where there are none.
 */
export function machineGpus(driverFolder = "/proc/driver/nvidia/gpus", environment = process.env) {
  if (environment.PALIMPSEST_ASSUME_GPU) return [environment.PALIMPSEST_ASSUME_GPU];
  const named = which("nvidia-smi") && output("nvidia-smi", ["--query-gpu=name", "--format=csv,noheader"]);
  if (named) return [...new Set(named.split("\n").map((line) => line.trim()))];
  return existsSync(driverFolder) ? readdirSync(driverFolder).map((place) => `GPU at ${place}`) : [];
}

const entries = (folder) => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Folders of wheels: each has `<part>/lib`, in CUDA 13's all parts are one. */
const wheelFolders = (site) => entries(join(site, "nvidia")).map((part) => join(site, "nvidia", part, "lib"));

/**
 * Folders to look in, those first that somebody named.
 * @param fetched where setup keeps the wheels that it fetched
 */
export function searchFolders(fetched, environment = process.env) {
  const own = environment.PALIMPSEST_CUDA;
  if (own) return [...own.split(":").filter(Boolean), ...wheelFolders(fetched)];
  const site = which("python3")
    ? output("python3", [
        "-c",
        "import site; print('\\n'.join([*site.getsitepackages(), site.getusersitepackages()]))",
      ])
    : undefined;
  const roots = entries("/usr/local")
    .filter((name) => /^cuda(-1[23]|$)/.test(name))
    .map((name) => join("/usr/local", name));
  const linked = which("ldconfig") ? output("ldconfig", ["-p"]) : undefined;
  const ofLinker = [...(linked ?? "").matchAll(/=> (\S+)\/lib(?:cudart|cublas|cudnn|nccl)\.so/g)].map(
    (match) => match[1],
  );
  return [
    ...new Set([
      ...(environment.LD_LIBRARY_PATH ?? "").split(":").filter(Boolean),
      ...wheelFolders(fetched),
      ...(site ?? "").split("\n").filter(Boolean).flatMap(wheelFolders),
      ...roots.flatMap((root) => [join(root, "targets/x86_64-linux/lib"), join(root, "lib64")]),
      ...ofLinker,
    ]),
  ];
}

/** The library's file of that major version; the shortest name, as `libcublas.so.12` before `libcublas.so.12.9.1`. */
function fileOf(folders, name, major) {
  for (const folder of folders) {
    const [file] = entries(folder)
      .filter((entry) => entry === `lib${name}.so.${major}` || entry.startsWith(`lib${name}.so.${major}.`))
      .sort((a, b) => a.length - b.length);
    if (file) return join(folder, file);
  }
  return undefined;
}

/** All libraries as CUDA of that version has them, and those that must be fetched. */
function setOf(cuda, folders) {
  const found = table.libraries.map((library) => {
    const major = library.majors[cuda] ?? library.majors["12"];
    return { ...library, file: fileOf(folders, library.name, major) };
  });
  return { cuda, found, missing: found.filter(({ file }) => !file) };
}

/**
 * What is there and what is missing. The set of CUDA 13 is taken where it lacks nothing but cudart, which is always CUDA 12's,
 * and CUDA 12's set lacks more: libraries of both are not mixed otherwise.
 */
export function findLibraries(folders) {
  const [twelve, thirteen] = [setOf("12", folders), setOf("13", folders)];
  const servesAll = thirteen.missing.every(({ name }) => name === "cudart");
  return servesAll && thirteen.missing.length < twelve.missing.length ? thirteen : twelve;
}

/** A folder with `nvvm/libdevice`, which XLA reads: beside the libraries, or of CUDA's tools. */
export function findTools(folders) {
  const candidates = folders.flatMap((folder) =>
    [join(folder, ".."), join(folder, "../../.."), join(folder, "../../cuda_nvcc")].map((path) => join(path)),
  );
  return [...candidates, "/usr/local/cuda"].find((root) =>
    existsSync(join(root, "nvvm/libdevice/libdevice.10.bc")),
  );
}
