/** What the benches of a GPU share: shapes of models, and cases in processes of their own. */
import { fileURLToPath } from "node:url";
import { Contender } from "../contender.js";

const vocab = 151_936;

/** The fields of `shape` that learner-case.ts reads. */
export const shapes = {
  tiny: { vocab: 512, hidden: 64, layers: 2, heads: 2, kvHeads: 1, headDim: 32, inner: 172 },
  small: { vocab: 1024, hidden: 256, layers: 4, heads: 4, kvHeads: 4, headDim: 64, inner: 688 },
  smollm2: { vocab: 49_152, hidden: 576, layers: 30, heads: 9, kvHeads: 3, headDim: 64, inner: 1536 },
  half: { vocab, hidden: 896, layers: 24, heads: 14, kvHeads: 2, headDim: 64, inner: 4864 },
  one: { vocab, hidden: 1536, layers: 28, heads: 12, kvHeads: 2, headDim: 128, inner: 8960 },
  three: { vocab, hidden: 2048, layers: 36, heads: 16, kvHeads: 2, headDim: 128, inner: 11_008 },
} as const;
export type Shape = (typeof shapes)[keyof typeof shapes];

/** The same by the names of a model's configuration. */
export const modelShape = ({ vocab: vocabSize, hidden: hiddenSize, inner, ...rest }: Shape) => ({
  ...rest,
  ...{ vocabSize, hiddenSize, intermediateSize: inner },
});

/** Node's arguments for a program of this folder, run from the sources. */
export const caseArgs = (file: string) => [
  ...["--import", "tsx", "--conditions=@palimpsest/source"],
  fileURLToPath(new URL(file, import.meta.url)),
];

/** A program of this folder that answers each line. */
export function caseProcess(name: string, file: string): Contender {
  return new Contender(name, process.execPath, caseArgs(file), "inherit");
}
