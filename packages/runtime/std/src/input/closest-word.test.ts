import { expect, it } from "vitest";
import { closestWord } from "./index.js";

const known = ["groupSize", "miniBatches", "steps", "model", "agent", "data"];

it.each([
  ["group_size", "groupSize"],
  ["GROUPSIZE", "groupSize"],
  ["modle", "model"],
  ["stpes", "steps"],
  ["step", "steps"],
  ["minibatch", "miniBatches"],
  ["date", "data"],
  ["reward", undefined],
  ["x", undefined],
  ["", undefined],
])("takes %j for %j", (word, meant) => {
  expect(closestWord(word, known)).toBe(meant);
});
