import { join } from "node:path";
import { type BaseProgress, makeBaseModel } from "@palimpsest/small-world/base";
import { builtinRecipesDir, readBaseRecipe } from "@palimpsest/trainer";
import { createLogUpdate } from "log-update";
import { formatCount } from "../display/count.js";
import { formatSeconds } from "../display/duration.js";

const redrawIntervalMs = 250;
/** Number of steps after which a line is printed if the output is no terminal. */
const stepsPerLine = 100;

/**
 * Trains the base model of a recipe of the installation, and returns its folder.
 * @throws {PalimpsestError} NOT_FOUND, CONFIG_INVALID; the signal's reason
 */
export async function makeBase(recipeFileName: string, outDir: string, signal: AbortSignal): Promise<string> {
  const recipePath = join(builtinRecipesDir, recipeFileName);
  return (await makeBaseWithProgress({ recipePath, outDir, signal, stream: process.stderr })).outDir;
}

/** Trains a base model with a progress display. */
export async function makeBaseWithProgress(options: {
  readonly recipePath: string;
  readonly outDir: string;
  readonly seed?: number;
  readonly signal: AbortSignal;
  readonly stream: NodeJS.WriteStream;
}): Promise<Awaited<ReturnType<typeof makeBaseModel>>> {
  const recipe = readBaseRecipe(options.recipePath);
  const progress = openProgress(`base model ${recipe.name}`, options.stream);
  try {
    const made = await makeBaseModel({
      recipe,
      outDir: options.outDir,
      signal: options.signal,
      onProgress: progress.show,
      ...(options.seed === undefined ? {} : { seed: options.seed }),
    });
    progress.close(
      `base model ${recipe.name}: ${made.outDir}, made in ${formatSeconds(made.seconds)}, weights ${made.weightsHash.slice(0, 12)}`,
    );
    return made;
  } catch (reason) {
    progress.close();
    throw reason;
  }
}

function openProgress(title: string, stream: NodeJS.WriteStream) {
  const log = stream.isTTY ? createLogUpdate(stream) : undefined;
  let drawnAtMs = 0;
  return {
    show(progress: BaseProgress) {
      const line = `${title}: ${progressLine(progress)}`;
      const ends = progress.step === progress.steps;
      if (log === undefined) {
        if (ends || progress.step === 1 || progress.step % stepsPerLine === 0) stream.write(`${line}\n`);
      } else if (ends || Date.now() - drawnAtMs >= redrawIntervalMs) {
        drawnAtMs = Date.now();
        log(line);
      }
    },
    close(lastLine?: string) {
      log?.done();
      if (lastLine !== undefined) stream.write(`${lastLine}\n`);
    },
  };
}

export function progressLine(progress: BaseProgress): string {
  const { stage, step, steps, loss, tokensPerSecond, secondsLeft } = progress;
  return `${stage.padEnd(6)} step ${step}/${steps}  loss ${loss.toFixed(4)}  ${formatCount(tokensPerSecond)} tokens/s  ETA ${formatSeconds(secondsLeft)}`;
}
