import { expect, it } from "vitest";
import { aConfig } from "../files/model.fixture.js";
import { initLora, type LoraConfig, loraForm, loraScale, mergeLora } from "./lora.js";
import { initParameters, parameterShapes } from "./parameters.js";

it.each([1, 2, 3, 4, 5, 7, 8, 9])("merges adapters of rank %i, each sum rounded to float32", (rank) => {
  const config = aConfig();
  const lora: LoraConfig = { rank, alpha: 3, targets: "all-linear" };
  const base = initParameters(config, 1);
  const adapters = initLora(config, loraForm(lora), 2);
  for (const [name, values] of Object.entries(adapters))
    if (name.endsWith(".loraB")) values.set(values.map((_, i) => Math.sin(i * 0.7 + rank)));
  const before = Object.fromEntries(Object.entries(base).map(([name, values]) => [name, values.slice()]));
  const merged = mergeLora(config, base, adapters, lora);
  expect(base).toEqual(before);
  let compared = 0;
  for (const [name, a] of Object.entries(adapters)) {
    if (!name.endsWith(".loraA")) continue;
    const weights = name.slice(0, -".loraA".length);
    const b = adapters[`${weights}.loraB`] as Float32Array;
    const [layers, inWidth, outWidth] = parameterShapes(config)[weights] as [number, number, number];
    for (let layer = 0; layer < layers; layer++)
      for (let i = 0; i < inWidth; i++)
        for (let j = 0; j < outWidth; j++) {
          const at = (layer * inWidth + i) * outWidth + j;
          let sum = 0;
          for (let r = 0; r < rank; r++)
            sum +=
              (a[(layer * inWidth + i) * rank + r] as number) *
              (b[(layer * rank + r) * outWidth + j] as number);
          const expected = (before[weights]?.[at] as number) + loraScale(lora) * sum;
          compared = Math.max(compared, Math.abs((merged[weights]?.[at] as number) - expected));
        }
  }
  expect(compared).toBeLessThan(2e-6);
  expect(mergeLora(config, base, adapters, lora, { inPlace: true })).toEqual(merged);
});
