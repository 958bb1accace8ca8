import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { modelEndpointSchema } from "./dependencies.js";
import { rewardConfigSchema } from "./index.js";
import { remoteReplySchema } from "./remote/protocol.js";

/** Settings that another agent's guide explains, or whose names say nothing by themselves. */
const elsewhere = ["rememr1"];

it("the guide to rewards names every reward and every setting of it", () => {
  const guide = readFileSync(new URL("../../../docs/guides/rewards.md", import.meta.url), "utf8");
  const missing = new Set<string>();
  const look = (name: string) => {
    if (!guide.includes(name)) missing.add(name);
  };
  for (const { shape } of rewardConfigSchema.options) {
    const names = "values" in shape.name ? [...shape.name.values] : shape.name.options;
    for (const name of names) look(`\`${name}\``);
    if (!elsewhere.some((agent) => names.includes(agent as never))) Object.keys(shape).forEach(look);
  }
  const [memupdate] = rewardConfigSchema.options.filter(({ shape }) => "weights" in shape);
  expect(memupdate).toBeDefined();
  for (const key of Object.keys(rewardConfigSchema.parse({ name: "memupdate" }))) look(key);
  const { weights } = rewardConfigSchema.parse({ name: "memupdate" }) as { weights: object };
  for (const key of Object.keys(weights)) look(`weights.${key}`);
  for (const { shape } of [modelEndpointSchema, remoteReplySchema]) Object.keys(shape).forEach(look);
  expect([...missing]).toEqual([]);
});
