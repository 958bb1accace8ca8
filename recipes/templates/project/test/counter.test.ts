import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@palimpsest/client";
import { wordCounters } from "../src/counter.js";

test("counts words in a process of its own", async () => {
  await using cluster = await connect({ local: true });
  const counter = await cluster.actor(wordCounters).spawn();
  assert.equal(await counter.add("a rose is a rose"), 5);
  assert.deepEqual(await counter.top(1), [["a", 2]]);
});
