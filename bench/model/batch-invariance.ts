/**
 * Measures what `batchInvariant` costs a sampler: two samplers of the same random weights, one of them with it, run in
 * separate processes and alternate over the same waves of requests. For each pair of waves the ratios of processor time
 * and of seconds are taken; their median and range are printed. On a busy machine processor time is the better figure.
 *
 * Usage: npx tsx --conditions=@palimpsest/source bench/model/batch-invariance.ts [--shape smollm2|3.4M] [--batches
 *   16,4] [--prompt 64] [--new 8] [--pairs 5] [--threads 2]
 */
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { Contender, median } from "../contender.js";
import { benchFlags } from "../flags.js";

const flags = benchFlags({
  shape: "smollm2",
  batches: "16,4",
  prompt: "64",
  new: "8",
  pairs: "5",
  threads: "2",
});

const shapes: Readonly<Record<string, object>> = {
  // recipes/shapes/smollm2-135m
  smollm2: {
    vocabSize: 49152,
    hiddenSize: 576,
    layers: 30,
    heads: 9,
    kvHeads: 3,
    intermediateSize: 1536,
    tieWordEmbeddings: true,
  },
  "3.4M": { vocabSize: 1024, hiddenSize: 256, layers: 4, heads: 4, intermediateSize: 688 },
};
const shape = shapes[flags.shape];
if (shape === undefined)
  throw new Error(`--shape ${flags.shape}: there are ${Object.keys(shapes).join(" and ")}`);
const batches = flags.batches.split(",").map(Number);

const tsx = fileURLToPath(import.meta.resolve("tsx/cli"));
const file = fileURLToPath(new URL("sampling-case.ts", import.meta.url));
async function sampler(batchInvariant: boolean): Promise<Contender> {
  const name = batchInvariant ? "batchInvariant" : "usual";
  const contender = new Contender(name, process.execPath, [tsx, "--conditions=@palimpsest/source", file]);
  const setup = {
    shape,
    backend: "tensorflow",
    mode: "graph",
    batches,
    batchInvariant,
    promptTokens: Number(flags.prompt),
    newTokens: Number(flags.new),
    threads: Number(flags.threads),
  };
  if ((await contender.ask(setup)) === undefined) throw new Error(`${name} does not start here`);
  return contender;
}

interface Wave {
  readonly seconds: number;
  readonly processorSeconds: number;
}

const [usual, invariant] = await Promise.all([sampler(false), sampler(true)]);
for (const batch of batches) {
  const wave = async (contender: Contender) => {
    const answer = await contender.ask({ batch });
    if (answer === undefined) throw new Error(`${contender.name} ended`);
    return answer as Wave;
  };
  const pairs: { readonly usual: Wave; readonly invariant: Wave }[] = [];
  for (let pair = -1; pair < Number(flags.pairs); pair++) {
    // The order alternates, so that a drift of the machine affects both.
    const first = await wave(pair % 2 === 0 ? usual : invariant);
    const second = await wave(pair % 2 === 0 ? invariant : usual);
    if (pair < 0) continue;
    pairs.push(pair % 2 === 0 ? { usual: first, invariant: second } : { usual: second, invariant: first });
  }
  const ratios = (field: keyof Wave) => {
    const all = pairs.map((pair) => pair.invariant[field] / pair.usual[field]);
    return `${median(all).toFixed(3)} (${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)})`;
  };
  console.log({
    shape: flags.shape,
    "at once": batch,
    "processor s": Number(median(pairs.map((pair) => pair.usual.processorSeconds)).toFixed(2)),
    "its ratio": ratios("processorSeconds"),
    "ratio of seconds": ratios("seconds"),
  });
}
await usual.close();
await invariant.close();
console.log(`load ${loadavg()[0]?.toFixed(1)}, ${flags.pairs} pairs, ${flags.threads} threads`);
