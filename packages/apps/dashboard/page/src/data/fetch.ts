/** Sends requests to this page's own server, within a deadline, and parses the answers. */
import type * as z from "zod";
import { refusalSchema } from "../../../src/api/session.js";
import { isStatic, loadStatic } from "./static.js";

const deadlineMs = 20_000;

export class ServerError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export async function getJson<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  signal?: AbortSignal,
): Promise<z.output<Schema>> {
  if (isStatic) return parsed(schema, await loadStatic(path));
  return await ask(path, { method: "GET" }, schema, signal);
}

export async function postJson<Schema extends z.ZodType>(
  path: string,
  body: unknown,
  schema: Schema,
): Promise<z.output<Schema>> {
  const headers = { "content-type": "application/json" };
  return await ask(path, { method: "POST", headers, body: JSON.stringify(body) }, schema);
}

async function ask<Schema extends z.ZodType>(
  path: string,
  init: RequestInit,
  schema: Schema,
  signal?: AbortSignal,
): Promise<z.output<Schema>> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const response = await fetch(`api${path}`, {
    ...init,
    credentials: "same-origin",
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  }).catch((reason: unknown) => {
    if (signal?.aborted) throw reason;
    const what = deadline.aborted ? `gave no answer within ${deadlineMs / 1000} s` : "cannot be reached";
    throw new ServerError(0, "UNAVAILABLE", `the server at ${location.host} ${what}: is it running?`);
  });
  const value: unknown = await response.json().catch(() => undefined);
  if (!response.ok) {
    const refusal = refusalSchema.safeParse(value);
    const { code, message } = refusal.success
      ? refusal.data
      : { code: "UNAVAILABLE", message: `the server answered ${response.status}` };
    throw new ServerError(response.status, code, message);
  }
  return parsed(schema, value);
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const what = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`;
  throw new ServerError(
    0,
    "CODEC",
    `the answer is not what this page expects (${what}): reload it, its server may have another version`,
  );
}
