import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { CountTokens } from "@palimpsest/datasets";
import { modelPath } from "../models/model-input.js";

/**
 * Returns a counter of the tokens of a text, for the tokenizer of a model folder, of a tokenizer.json, or of a
 * model's name.
 */
export async function tokenCounter(name: string): Promise<CountTokens> {
  const { loadTokenizer } = await import("@palimpsest/model");
  const isFile = name.endsWith("tokenizer.json") && existsSync(name);
  const tokenizer = await loadTokenizer(isFile ? dirname(name) : await modelPath(name));
  return (text) => tokenizer.encode(text).length;
}
