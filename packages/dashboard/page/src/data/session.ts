/** Who has signed in. */
import { signal } from "@preact/signals";
import * as z from "zod";
import { type Session, sessionSchema } from "../../../src/api/session.js";
import { getJson, postJson, ServerError } from "./fetch.js";
import { isStatic } from "./static.js";

/** "unknown" until the server was asked; undefined: nobody has signed in. */
export const session = signal<Session | "unknown" | undefined>("unknown");
/** Why nobody could be asked, empty when the server answers. */
export const unreachable = signal("");

/** A head that starts, or that waits to lead, answers later. */
const againMs = 3_000;

export async function askSession(): Promise<void> {
  try {
    session.value = await getJson("/session", sessionSchema);
    unreachable.value = "";
  } catch (reason) {
    if (reason instanceof ServerError && reason.status === 401) session.value = undefined;
    else {
      unreachable.value = messageOf(reason);
      if (!isStatic) setTimeout(() => void askSession(), againMs);
    }
  }
}

/** @throws {ServerError} for a wrong token */
export async function signIn(token: string): Promise<void> {
  await postJson("/sign-in", { token }, z.object({}));
  await askSession();
}

export async function signOut(): Promise<void> {
  try {
    await postJson("/sign-out", {}, z.object({}));
    session.value = undefined;
    unreachable.value = "";
  } catch (reason) {
    // Whoever leaves the screen must know that it is still theirs.
    unreachable.value = `You are still signed in: ${messageOf(reason)}`;
  }
}

/** A token that is refused meanwhile ends what is shown. */
export function noticeRefusal(reason: unknown): void {
  if (reason instanceof ServerError && reason.status === 401) session.value = undefined;
}

export function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
