/** The signed-in user. */
import { signal } from "@preact/signals";
import * as z from "zod";
import { type Session, sessionSchema } from "../../../src/api/session.js";
import { getJson, postJson, ServerError } from "./fetch.js";
import { goTo, place } from "./route.js";
import { isStatic } from "./static.js";

/** "unknown" until the server was asked; undefined when nobody has signed in. */
export const session = signal<Session | "unknown" | undefined>("unknown");
/** Why the server could not be asked; empty when it answers. */
export const unreachable = signal("");

/** Milliseconds until the server is asked again, because a head that is starting or on standby answers later. */
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

/** @throws {ServerError} when the token is wrong */
export async function signIn(token: string): Promise<void> {
  await postJson("/sign-in", { token }, z.object({}));
  await askSession();
}

/**
 * Signs in with the token of a link (#/sign-in?token=…), if the address is one. The part behind # is sent to no server,
 * and the token leaves the address, and with it the history, before anything else happens.
 */
export async function signInFromLink(): Promise<void> {
  const { parts, query } = place.value;
  const token = parts[0] === "sign-in" ? query.get("token") : null;
  if (token === null) return;
  goTo(`#/${query.get("to") ?? ""}`, { replace: true });
  try {
    await signIn(token);
  } catch (reason) {
    // A token that is no longer valid leads to the form that asks for one.
    noticeRefusal(reason);
    if (session.value === "unknown") await askSession();
  }
}

export async function signOut(): Promise<void> {
  try {
    await postJson("/sign-out", {}, z.object({}));
    session.value = undefined;
    unreachable.value = "";
  } catch (reason) {
    // The user must know before leaving that the session has not ended.
    unreachable.value = `You are still signed in: ${messageOf(reason)}`;
  }
}

/** Ends the session when the reason of a failure is that the server no longer accepts the token. */
export function noticeRefusal(reason: unknown): void {
  if (reason instanceof ServerError && reason.status === 401) session.value = undefined;
}

export function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
