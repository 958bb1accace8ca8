import { parseInput, parseJson, reasonText } from "@palimpsest/std/input";
import { z } from "zod";
import { type ErrorCode, errorCodes, PalimpsestError } from "../base/error.js";

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];

const faultRuleSchema = z.strictObject({
  method: z
    .string()
    .regex(
      /^[A-Za-z*]+\.[A-Za-z*]+$|^\*$/,
      'expected Service.Method, for example "Head.CreateActor" or "Objects.*"',
    )
    .describe("Method as its proto names it; * matches any part"),
  when: z
    .enum(["before", "after", "in-flight"])
    .describe(
      "before: the callee never receives the call. after: the callee carries it out and its caller gets the error. in-flight: the call is broken off in the middle",
    ),
  side: z.enum(["client", "server"]).default("client").describe("Which end of the call injects the fault"),
  probability: z.number().min(0).max(1).default(1).describe("Fraction of the calls that fail, from 0 to 1"),
  error: z.enum(codes).default("UNAVAILABLE").describe("Code of the injected error"),
  delayMs: z
    .number()
    .min(0)
    .default(0)
    .describe("Delay in milliseconds, counted from the start of the call, or from its end for after"),
});

const faultPlanSchema = z.strictObject({
  seed: z
    .int()
    .min(0)
    .default(1)
    .describe("Seed of the random draws: equal seeds draw equal faults for equal sequences of calls"),
  rules: z.array(faultRuleSchema).min(1),
});

export type FaultRule = z.output<typeof faultRuleSchema>;
export type FaultPlan = z.output<typeof faultPlanSchema>;

const example = '{"seed":7,"rules":[{"method":"Head.CreateActor","when":"after","probability":0.1}]}';

/** @throws {PalimpsestError} CONFIG_INVALID naming the field and what it expects */
export function parseFaultPlan(text: string): FaultPlan {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (reason) {
    throw invalid(`is not JSON: ${reasonText(reason)}`);
  }
  return parseInput(faultPlanSchema, value, invalid);
}

function invalid(problem: string): PalimpsestError {
  return new PalimpsestError(
    "CONFIG_INVALID",
    `PALIMPSEST_FAULTS: ${problem}; unset it, or write it like ${example}`,
  );
}
