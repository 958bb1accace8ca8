import type { EndpointSamplerConfig } from "../endpoint-sampler.js";
import { type Answer, json } from "./model-server.js";

/** What a server does, and what must come of it. */
export interface Behavior {
  readonly name: string;
  readonly answer: Answer;
  readonly path?: string;
  readonly config?: Partial<EndpointSamplerConfig>;
  /** The text of the reply, or what the error says. */
  readonly is: string | RegExp;
  /** The most requests; default 1. */
  readonly requests?: number;
  /** The least wait before the second request, in milliseconds. */
  readonly waitsMs?: number;
}

export const choice = (content: unknown, finish: unknown = "stop", more: object = {}) => ({
  index: 0,
  message: { role: "assistant", content, ...more },
  ...(finish === undefined ? {} : { finish_reason: finish }),
});
export const whole = (content: unknown, finish: unknown = "stop", more: object = {}) => ({
  choices: [choice(content, finish)],
  ...more,
});
export const yes = json(whole("yes"));
export const delta = (content: unknown, finish: string | null = null, more: object = {}) => ({
  choices: [{ index: 0, delta: { content, ...more }, finish_reason: finish }],
});
/** Answers only at one address. */
export const at =
  (path: string, answer: Answer = yes): Answer =>
  (received, response) =>
    (received.path === path ? answer : json({ error: { message: "no such path" } }, 404))(received, response);
/** Refuses requests that contain a field. */
export const without =
  (field: string, refusal: Answer, answer: Answer = yes): Answer =>
  (received, response) =>
    (field in received.body ? refusal : answer)(received, response);
