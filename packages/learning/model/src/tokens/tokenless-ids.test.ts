/** A softmax without some ids, held against one whose head never had their rows. */
import { loadBackend, tf } from "@palimpsest/jit";
import { expect, test } from "vitest";
import { initParameters } from "../base/parameters.js";
import { tokenStatistics } from "../forward/token-statistics.js";
import { smallConfig } from "../testing/index.js";
import { BpeTokenizer } from "./bpe-tokenizer.js";
import { maskTokenless, tokenlessLogit, withTokenlessIds } from "./tokenless-ids.js";

await loadBackend();

test.each([7, 3])(
  "log-probs, entropy and gradients are those of a smaller head, %i rows at a time",
  (chunk) => {
    const tokenlessIds = [
      { first: 2, count: 3 },
      { first: 12, count: 4 },
    ];
    const kept = Array.from({ length: 16 }, (_, id) => id).filter((id) => (id < 2 || id > 4) && id < 12);
    const { head = new Float32Array() } = initParameters(smallConfig(), 5, { headStd: 0.5 });
    const whole = tf.tensor2d(head, [16, 16]);
    const small = tf.gather(whole, tf.tensor1d(kept, "int32"));
    const hidden = tf.randomNormal([7, 16], 0, 1, "float32", 3);
    const targets = [0, 1, 5, 6, 9, 11, 10];
    const results = (table: tf.Tensor, ids: readonly number[], own: object) => {
      const at = tf.tensor1d([...ids], "int32");
      const run = (h: tf.Tensor, w: tf.Tensor) =>
        tokenStatistics(h, w, at, { chunk, entropy: "gradient", ...own });
      const { logprobs, entropy } = run(hidden, table);
      const loss = (h: tf.Tensor, w: tf.Tensor) => {
        const told = run(h, w);
        return told.logprobs.sum().add((told.entropy as tf.Tensor).sum()) as tf.Scalar;
      };
      const [ofHidden, ofHead] = tf.grads((h, w) => loss(h as tf.Tensor, w as tf.Tensor))([hidden, table]);
      return {
        logprobs,
        entropy: entropy as tf.Tensor,
        ofHidden: ofHidden as tf.Tensor,
        ofHead: ofHead as tf.Tensor,
      };
    };
    const masked = results(whole, targets, { tokenlessIds });
    const sliced = results(
      small,
      targets.map((id) => kept.indexOf(id)),
      {},
    );
    const same = (one: tf.Tensor, other: tf.Tensor) => {
      const [a, b] = [one.dataSync(), other.dataSync()];
      expect(a.length).toBe(b.length);
      a.forEach((value, i) => {
        expect(value).toBeCloseTo(b[i] as number, 5);
      });
    };
    same(masked.logprobs, sliced.logprobs);
    same(masked.entropy, sliced.entropy);
    same(masked.ofHidden, sliced.ofHidden);
    same(tf.gather(masked.ofHead, tf.tensor1d(kept, "int32")), sliced.ofHead);
    const others = [
      ...masked.ofHead.slice([12, 0]).dataSync(),
      ...masked.ofHead.slice([2, 0], [3, 16]).dataSync(),
    ];
    expect(others.every((value) => value === 0)).toBe(true);
  },
);

test("ranges are found wherever ids are missing, and a model without such ids keeps its config", () => {
  const config = smallConfig();
  const without = new Set([0, 3, 4, 14, 15]);
  expect(withTokenlessIds(config, (id) => !without.has(id)).tokenlessIds).toEqual([
    { first: 0, count: 1 },
    { first: 3, count: 2 },
    { first: 14, count: 2 },
  ]);
  expect(withTokenlessIds(config, () => true)).toBe(config);
  const logits = new Float32Array(5);
  maskTokenless(logits, [{ first: 1, count: 2 }]);
  expect([...logits]).toEqual([0, tokenlessLogit, tokenlessLogit, 0, 0].map(Math.fround));
});

test("a tokenizer decodes ids that it lacks to nothing, as transformers does", () => {
  const tokenizer = new BpeTokenizer({
    version: "1.0",
    added_tokens: [],
    normalizer: null,
    post_processor: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, use_regex: true },
    decoder: { type: "ByteLevel" },
    model: { type: "BPE", vocab: { a: 0, b: 1, c: 5 }, merges: [] },
  });
  expect(tokenizer.decode([0, 3, 1, 683, 5])).toBe("abc");
  expect(tokenizer.decode([683])).toBe("");
  expect([0, 1, 2, 5, 6].map((id) => tokenizer.hasToken(id))).toEqual([true, true, false, true, false]);
  expect(() => tokenizer.decode([0, -1])).toThrow("token id -1 is not an integer of at least 0");
});
