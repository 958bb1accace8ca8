/**
 * Loads a model in a separate process and prints, in bytes, the peak resident memory beyond what the process had
 * before, and the size of the weights.
 */
import { loadModel, saveModel } from "./model-folder.js";

const [folder, copy] = process.argv.slice(2) as [string, string];
const before = process.memoryUsage.rss();
let peakExternalBytes = 0;
const watch = () => {
  peakExternalBytes = Math.max(peakExternalBytes, process.memoryUsage().arrayBuffers);
};
const model = await loadModel(folder, { onProgress: watch });
const weightBytes = Object.values(model.parameters).reduce((sum, { byteLength }) => sum + byteLength, 0);
// The kernel's own high-water mark, in KiB. Sampling the resident set could miss the peak.
const loadedBytes = process.resourceUsage().maxRSS * 1024 - before;
await saveModel(copy, model, { dtype: "bfloat16", maxShardBytes: 20_000_000 });
const savedBytes = process.resourceUsage().maxRSS * 1024 - before;
process.stdout.write(JSON.stringify({ weightBytes, loadedBytes, savedBytes, peakExternalBytes }));
