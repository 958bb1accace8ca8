import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { rewardConfigSchema } from "./index.js";
import { remoteReplySchema } from "./remote/protocol.js";

/** The settings of each are in docs/configuration.md, which is generated. */
it("the guide to rewards names every reward and what a service of one's own returns", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/rewards.md", import.meta.url), "utf8");
  const names = rewardConfigSchema.options.flatMap(({ shape }) =>
    "values" in shape.name ? [...shape.name.values] : shape.name.options,
  );
  expect(names.length).toBeGreaterThan(10);
  const missing = [...names.map((name) => `\`${name}\``), ...Object.keys(remoteReplySchema.shape)].filter(
    (word) => !guide.includes(word),
  );
  expect(missing).toEqual([]);
});
