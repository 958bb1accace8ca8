import { readFileSync } from "node:fs";
import { utf8Problem, utf8Text } from "@palimpsest/memory/unicode-text";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { type Command, Option } from "commander";
import { formatCount } from "../../display/count.js";
import { parseWhole } from "../../input/key-values.js";
import { type SaveFlags, saveOptions, withSaveOptions } from "../../input/save-options.js";
import { writtenModelOutput } from "../../models/written-model.js";

interface InitFlags extends SaveFlags {
  readonly config?: string;
  readonly seed?: number;
  readonly vocabSize?: number;
  readonly alphabet?: string;
  readonly architecture?: string;
  readonly layers?: number;
  readonly hiddenSize?: number;
  readonly heads?: number;
  readonly kvHeads?: number;
  readonly headDim?: number;
  readonly intermediateSize?: number;
  readonly maxPositions?: number;
  readonly tied?: boolean;
}

const shapeFlags = [
  "architecture",
  "layers",
  "hiddenSize",
  "heads",
  "kvHeads",
  "headDim",
  "intermediateSize",
  "maxPositions",
] as const;

export function addModelInit(model: Command): void {
  withSaveOptions(
    model
      .command("init")
      .description("creates a small random model with its own tokenizer, which is trained on the given texts")
      .argument("<text...>", "text files for training the byte-level BPE")
      .option("--config <file.yaml>", "seed, tokenizer and model settings; flags replace its fields")
      .option("--seed <n>", "seed of the weights", parseWhole)
      .option("--vocab-size <n>", "maximum vocabulary size of the tokenizer", parseWhole)
      .addOption(
        new Option("--alphabet <kind>", "bytes: any text; corpus: only bytes of the texts").choices([
          "bytes",
          "corpus",
        ]),
      )
      .addOption(new Option("--architecture <name>", "family").choices(["llama", "qwen2", "qwen3"]))
      .option("--layers <n>", "decoder blocks", parseWhole)
      .option("--hidden-size <n>", "width of the residual stream", parseWhole)
      .option("--heads <n>", "query heads", parseWhole)
      .option("--kv-heads <n>", "key and value heads", parseWhole)
      .option("--head-dim <n>", "width of one head", parseWhole)
      .option("--intermediate-size <n>", "width of the feed-forward layer", parseWhole)
      .option("--max-positions <n>", "maximum sequence length in tokens", parseWhole)
      .option("--tied", "ties the output head to the embedding"),
    writtenModelOutput.option(),
  ).action(async (files: readonly string[], flags: InitFlags) => {
    const { hashWeights, initModel, parameterCount, parseModelInit, saveModel } = await import(
      "@palimpsest/model"
    );
    const init = parseModelInit(
      withFlags(flags.config === undefined ? {} : await readYaml(flags.config), flags),
    );
    const texts = files.map(readText);
    if (texts.every((text) => text.trim() === ""))
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${files.join(", ")}: has no text to train a tokenizer on; name files with text`,
      );
    const made = initModel(init, texts);
    await saveModel(flags.out, made, saveOptions(flags));
    const { config, parameters } = made;
    if (flags.json)
      return writtenModelOutput.print({
        folder: flags.out,
        parameters: parameterCount(config),
        dtype: flags.dtype,
      });
    process.stdout.write(
      `${flags.out}: ${config.architecture}, ${formatCount(parameterCount(config))} parameters, vocabulary ${config.vocabSize}, weights ${hashWeights(parameters).slice(0, 12)}\n`,
    );
  });
}

type Section = Readonly<Record<string, unknown>>;

/** Replaces fields of the file by flags. The schema validates the result. */
function withFlags(file: Section, flags: InitFlags): Section {
  const given = (entries: Section) =>
    Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
  const { seed, vocabSize, alphabet, tied } = flags;
  const shape = Object.fromEntries(shapeFlags.map((name) => [name, flags[name]]));
  return {
    ...file,
    ...given({ seed }),
    tokenizer: { ...sectionOf(file, "tokenizer"), ...given({ vocabSize, alphabet }) },
    model: { ...sectionOf(file, "model"), ...given({ ...shape, tieWordEmbeddings: tied }) },
  };
}

function sectionOf(file: Section, name: string): object {
  const section = file[name] ?? {};
  if (typeof section === "object" && !Array.isArray(section)) return section;
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `model init: ${name} is ${JSON.stringify(section)}; it must be a mapping of settings`,
  );
}

async function readYaml(path: string): Promise<Section> {
  const { parseYaml, readYamlFile } = await import("@palimpsest/trainer");
  const content = parseYaml(readYamlFile(path, "configuration"), path);
  if (typeof content === "object" && content !== null && !Array.isArray(content)) return { ...content };
  throw new PalimpsestError(
    "INVALID_ARGUMENT",
    `${path}: it must be a mapping of settings (seed, tokenizer, model)`,
  );
}

function readText(path: string): string {
  try {
    const bytes = readFileSync(path);
    const text = utf8Text(bytes);
    if (text !== undefined) return text;
    throw new PalimpsestError("INVALID_ARGUMENT", `${path}: ${utf8Problem(bytes)}`);
  } catch (reason) {
    if (reason instanceof PalimpsestError) throw reason;
    throw new PalimpsestError(
      "INVALID_ARGUMENT",
      `${path} cannot be read (${reasonText(reason)}); name a text file`,
      { cause: reason },
    );
  }
}
