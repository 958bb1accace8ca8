import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { loadBackend, tf } from "@palimpsest/jit";
import {
  type ModelConfig,
  modelConfigFromHf,
  type Parameters,
  parameterShapes,
  parametersFromHf,
  readSafetensors,
  type StoredTensor,
  tokenLogprobs,
} from "@palimpsest/model";
import { beforeAll, describe, expect, it } from "vitest";
import { OptimizerConfig } from "../config/config.js";
import { Aggregation, KlConfig, LossConfig } from "../config/loss-config.js";
import { MemoryConfig } from "../config/memory-config.js";
import { aggregationWeights } from "../loss/aggregation.js";
import { tensorAlgebra } from "../loss/loss-algebra.js";
import { policyLoss } from "../loss/policy-loss.js";
import { adamwScalars, adamwStep } from "../state/optimizer.js";
import { tokenPass } from "../state/token-pass.js";
import { createLearner } from "./create-learner.js";
import { aConversation, aMember } from "./groups.fixture.js";

// Reference numbers of transformers + PyTorch in float32 for three tiny random models.
const shared =
  process.env["PALIMPSEST_SHARED"] ?? fileURLToPath(new URL("../../../../../../shared", import.meta.url));
const fixtures = `${shared}/fixtures/hf-parity`;
const missing = !existsSync(fixtures);
if (missing)
  process.stderr.write(`skipped: no reference numbers at ${fixtures} (PALIMPSEST_SHARED moves it)\n`);

const plain = MemoryConfig.parse({ layers: "unrolled" });
const forms: readonly [string, MemoryConfig][] = [
  ["everything at once", plain],
  ["layers as a loop", MemoryConfig.parse({ layers: "scan" })],
  ["logits in chunks", MemoryConfig.parse({ layers: "unrolled", logitsMb: 0.01 })],
  ["attention in blocks", MemoryConfig.parse({ layers: "unrolled", scoresMb: 0.01 })],
  ["all three", MemoryConfig.parse({ layers: "scan", logitsMb: 0.01, scoresMb: 0.01 })],
];

const ROWS = 3;
const WIDTH = 39;

interface LossCase {
  readonly clip_low: number;
  readonly clip_high: number;
  readonly kl_beta: number;
  readonly aggregation: string;
  readonly loss: number;
  readonly grad_norm: number;
}
interface Reference {
  readonly token_mean: LossCase;
  readonly dapo: LossCase;
  readonly seq_mean: LossCase;
  readonly seq_sum: LossCase;
  readonly advantages: readonly number[];
  readonly lengths: readonly number[];
  readonly prompt_lengths: readonly number[];
  readonly adamw: {
    readonly lr: number;
    readonly betas: readonly [number, number];
    readonly eps: number;
    readonly weight_decay: number;
    readonly max_grad_norm: number;
    readonly steps: readonly { readonly loss: number; readonly grad_norm: number }[];
  };
}

const backend = await loadBackend();

describe.skipIf(missing).each(["llama", "qwen2", "qwen3"])(
  "training a %s checkpoint as PyTorch does",
  (family) => {
    let config: ModelConfig;
    let weights: Parameters;
    let reference: Reference;
    let tensors: Record<string, StoredTensor>;

    beforeAll(async () => {
      const folder = `${fixtures}/${family}`;
      config = modelConfigFromHf(JSON.parse(await readFile(`${folder}/config.json`, "utf8")));
      weights = parametersFromHf(config, await readSafetensors(`${folder}/model.safetensors`));
      reference = JSON.parse(await readFile(`${folder}/reference.json`, "utf8")) as Reference;
      tensors = await readSafetensors(`${folder}/reference.safetensors`);
    });

    const names = () => Object.keys(parameterShapes(config));
    const asTensor = (name: string, values: Float32Array) =>
      tf.tensor(values, [...(parameterShapes(config)[name] ?? [])]);
    const stored = (name: string) => {
      const found = tensors[name];
      if (found === undefined) throw new Error(`${family}: reference.safetensors has no ${name}`);
      return found.values;
    };
    const mask = () => Float32Array.from(stored("response_mask"));

    /** Log-probabilities of next tokens, float32 [ROWS, WIDTH]. */
    const pass = (
      parameters: Readonly<Record<string, tf.Tensor>>,
      tokenIds: tf.Tensor,
      memory: MemoryConfig,
    ) =>
      tokenPass(
        parameters,
        { tokenIds, logitScales: tf.ones([ROWS * WIDTH]) },
        { bucket: { rows: ROWS, length: WIDTH + 1 }, model: config, memory, entropy: "none" },
      );

    /** Loss and gradients of one case at the given weights; caller disposes. */
    function evaluate(of: LossCase, parameters: readonly tf.Tensor[], memory = plain) {
      const lossMask = mask();
      const rows = Array.from({ length: ROWS }, (_, r) => ({
        tokens: lossMask.slice(r * WIDTH, (r + 1) * WIDTH).reduce((sum, value) => sum + value, 0),
        trajectoryId: String(r),
      }));
      const perToken = (values: ArrayLike<number>) => tf.tensor2d(Float32Array.from(values), [ROWS, WIDTH]);
      return tf.tidy(() => {
        const constants = {
          oldLogprobs: perToken(stored("old_logprobs")),
          refLogprobs: perToken(stored("ref_logprobs")),
          lossMask: perToken(lossMask),
          advantages: tf.tensor2d([...reference.advantages], [ROWS, 1]),
          tokenWeights: tf.tensor2d(
            [...aggregationWeights(rows, Aggregation.parse(of.aggregation))],
            [ROWS, 1],
          ),
        };
        const ids = tf.tensor2d(stored("input_ids") as Int32Array, [ROWS, WIDTH + 1], "int32");
        const loss = LossConfig.parse({ kind: "clip", clipLow: of.clip_low, clipHigh: of.clip_high });
        const kl = KlConfig.parse({ coefficient: of.kl_beta });
        const f = (...values: tf.Tensor[]) => {
          const byName = Object.fromEntries(names().map((name, i) => [name, values[i] as tf.Tensor]));
          const { logprobs: policyLogprobs } = pass(byName, ids, memory);
          const terms = { loss, kl, importance: { kind: "none" as const }, entropyCoefficient: 0 };
          return policyLoss(tensorAlgebra, { policyLogprobs, ...constants }, terms);
        };
        return tf.valueAndGrads(f as (...values: tf.Tensor[]) => tf.Scalar)([...parameters]);
      });
    }

    const normOf = (grads: readonly tf.Tensor[]) =>
      Math.sqrt(
        grads.reduce((sum, grad) => sum + [...grad.dataSync()].reduce((squares, x) => squares + x * x, 0), 0),
      );

    it.each(["token_mean", "dapo", "seq_mean", "seq_sum"] as const)(
      "has its %s loss and gradient norm",
      (name) => {
        const wanted = reference[name];
        tf.tidy(() => {
          const parameters = names().map((key) => asTensor(key, weights[key] as Float32Array));
          const { value, grads } = evaluate(wanted, parameters);
          expect(Math.abs((value.dataSync()[0] ?? Number.NaN) - wanted.loss)).toBeLessThan(1e-5);
          expect(Math.abs(normOf(grads) / wanted.grad_norm - 1)).toBeLessThan(1e-5);
        });
      },
    );

    it.each(forms)("has its log-probabilities with %s", (_form, memory) => {
      tf.tidy(() => {
        const byName = Object.fromEntries(
          names().map((key) => [key, asTensor(key, weights[key] as Float32Array)]),
        );
        const ids = tf.tensor2d(stored("input_ids") as Int32Array, [ROWS, WIDTH + 1], "int32");
        const ours = pass(byName, ids, memory).logprobs.dataSync();
        const wanted = stored("logprobs");
        const trained = mask();
        expect(trained).toContain(1);
        trained.forEach((on, i) => {
          if (on === 1) expect(Math.abs((ours[i] ?? Number.NaN) - (wanted[i] ?? 0))).toBeLessThan(1e-4);
        });
      });
    });

    it.each(forms)("has its gradient in every parameter with %s", (_form, memory) => {
      const saved = Object.fromEntries(
        Object.entries(tensors).flatMap(([name, value]) =>
          name.startsWith("grad.") ? [[name.slice("grad.".length), value]] : [],
        ),
      );
      const wanted = parametersFromHf(config, saved);
      tf.tidy(() => {
        const parameters = names().map((key) => asTensor(key, weights[key] as Float32Array));
        const { grads } = evaluate(reference.token_mean, parameters, memory);
        names().forEach((name, index) => {
          const ours = grads[index]?.dataSync() ?? new Float32Array();
          const theirs = wanted[name] as Float32Array;
          let dot = 0;
          let a = 0;
          let b = 0;
          theirs.forEach((value, i) => {
            const own = ours[i] ?? Number.NaN;
            dot += own * value;
            a += own * own;
            b += value * value;
          });
          expect(dot / Math.sqrt(a * b), name).toBeGreaterThanOrEqual(0.99999);
        });
      });
    });

    it("has its log-probabilities after three AdamW steps", () => {
      const { adamw } = reference;
      const optimizer = OptimizerConfig.parse({
        beta1: adamw.betas[0],
        beta2: adamw.betas[1],
        epsilon: adamw.eps,
        weightDecay: adamw.weight_decay,
        maxGradNorm: adamw.max_grad_norm,
      });
      tf.tidy(() => {
        let states = names().map((key) => {
          const start = asTensor(key, weights[key] as Float32Array);
          return { weights: start, moment1: tf.zerosLike(start), moment2: tf.zerosLike(start) };
        });
        adamw.steps.forEach((wanted, step) => {
          const { value, grads } = evaluate(
            reference.token_mean,
            states.map((state) => state.weights),
          );
          const norm = normOf(grads);
          expect(Math.abs((value.dataSync()[0] ?? Number.NaN) - wanted.loss)).toBeLessThan(2e-4);
          expect(Math.abs(norm - wanted.grad_norm)).toBeLessThan(2e-4 * Math.max(1, wanted.grad_norm));
          const scalars = adamwScalars(step, adamw.lr, norm, optimizer);
          const asScalar = (name: keyof typeof scalars) => tf.scalar(scalars[name][0] ?? Number.NaN);
          const tensorScalars = {
            gradientScale: asScalar("gradientScale"),
            decay: asScalar("decay"),
            stepSize: asScalar("stepSize"),
            rootCorrection: asScalar("rootCorrection"),
          };
          states = states.map((state, i) =>
            adamwStep(state, grads[i] as tf.Tensor, tensorScalars, optimizer),
          );
        });
        const byName = Object.fromEntries(names().map((name, i) => [name, states[i]?.weights as tf.Tensor]));
        const ids = tf.tensor2d(stored("input_ids") as Int32Array, [ROWS, WIDTH + 1], "int32");
        const after = tokenLogprobs(byName, ids, config).dataSync();
        const wanted = stored("logprobs_after_adamw");
        mask().forEach((trained, i) => {
          if (trained === 1) expect(Math.abs((after[i] ?? Number.NaN) - (wanted[i] ?? 0))).toBeLessThan(2e-4);
        });
      });
    });

    it("has its loss and gradient norm through groups, rows and the compiled step", async () => {
      const ids = stored("input_ids");
      const old = stored("old_logprobs");
      const members = reference.lengths.map((length, r) => {
        const prompt = reference.prompt_lengths[r] ?? 0;
        const tokens = [...ids.slice(r * (WIDTH + 1), r * (WIDTH + 1) + length)];
        const conversation = aConversation({
          promptTokenIds: tokens.slice(0, prompt),
          sampledTokenIds: tokens.slice(prompt),
          rolloutLogprobs: [...old.slice(r * WIDTH + prompt - 1, r * WIDTH + length - 1)],
        });
        return aMember({
          episodeIndex: r,
          reward: reference.advantages[r] ?? 0,
          conversations: [conversation],
        });
      });
      // An episode without tokens balances the rewards, so that centring them gives the wanted advantages.
      const balance = -reference.advantages.reduce((sum, value) => sum + value, 0);
      const silent = aConversation({ sampledTokenIds: [], stopReason: "abort" });
      members.push(aMember({ episodeIndex: ROWS, reward: balance, conversations: [silent] }));
      const learner = createLearner({
        backend,
        model: config,
        parameters: weights,
        objectives: ["policy"],
        config: {
          advantage: { kind: "drgrpo" },
          loss: { kind: "clip", clipLow: reference.dapo.clip_low, clipHigh: reference.dapo.clip_high },
          kl: { coefficient: 0 },
          reference: "none",
          oldLogprobs: "rollout",
          buckets: [{ rows: 2, length: 40 }],
        },
      });
      const metrics = await learner.update([{ groupId: "g", taskId: "t", groupSize: 4, members }]);
      learner.close();
      expect(Math.abs(metrics.loss - reference.dapo.loss)).toBeLessThan(1e-5);
      const trained = mask();
      const tokens = trained.reduce((sum, value) => sum + value, 0);
      const entropy =
        [...stored("entropy")].reduce((sum, value, i) => sum + value * (trained[i] ?? 0), 0) / tokens;
      expect(metrics.tokens).toBe(tokens);
      expect(Math.abs(metrics.entropy - entropy)).toBeLessThan(1e-4);
      expect(Math.abs(metrics.gradientNorm / reference.dapo.grad_norm - 1)).toBeLessThan(1e-5);
    });
  },
);
