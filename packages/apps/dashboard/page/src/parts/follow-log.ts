/**
 * Responsibility: streams the output of a job or an actor while the page is visible. A browser opens six connections to one server for
 * all of its tabs together, so hidden tabs with one each would keep the seventh from loading.
 * Not responsible for: how the output is shown (log-view.tsx).
 *
 * Invariants:
 * - FOLLOW-1. A hidden page has no stream. When it becomes visible it continues at the same position, and no character
 *   is lost or repeated. Output that the server leaves out, because the page is too far behind, is reported.
 * - FOLLOW-2. A stream that the server has refused is requested again, with a longer delay after each refusal. One that the server
 *   has ended is not, and the reason is shown where there is one.
 */
import { logEndSchema, logEventSchema } from "../../../src/api/jobs.js";
import { bytesText } from "./format.js";

const firstWaitMs = 2_000;
const longestWaitMs = 30_000;
/**
 * Minimum milliseconds between two updates, so that an output of thousands of lines per second is rendered at most ten
 * times per second.
 */
const tellMs = 100;

export type FollowState = "following" | "ended" | "interrupted";

export interface LogListener {
  /** @param beganAtBytes offset at which the first text of the stream begins */
  onText(text: string, beganAtBytes: number): void;
  onState(state: FollowState): void;
}

/** @returns a function that ends the stream */
export function followLog(path: string, { onText, onState }: LogListener): () => void {
  let source: EventSource | undefined;
  let beganAt = 0;
  let nextBytes: number | undefined;
  let failures = 0;
  let over = false;
  let again: ReturnType<typeof setTimeout> | undefined;
  let telling: ReturnType<typeof setTimeout> | undefined;
  let untold = "";
  const tell = () => {
    clearTimeout(telling);
    telling = undefined;
    if (untold !== "") onText(untold, beganAt);
    untold = "";
  };
  const stop = () => {
    source?.close();
    source = undefined;
    clearTimeout(again);
  };
  const take = ({ data }: MessageEvent<string>) => {
    const piece = logEventSchema.parse(JSON.parse(data));
    if (nextBytes === undefined) beganAt = piece.offsetBytes;
    else if (piece.offsetBytes > nextBytes)
      untold += `\n[${bytesText(piece.offsetBytes - nextBytes)} were skipped]\n`;
    nextBytes = piece.nextBytes;
    untold += piece.text;
    telling ??= setTimeout(tell, tellMs);
  };
  const follow = () => {
    stop();
    if (over || document.hidden) return;
    const own = new EventSource(
      nextBytes === undefined ? path : `${path}${path.includes("?") ? "&" : "?"}offset=${nextBytes}`,
    );
    source = own;
    own.onopen = () => {
      failures = 0;
      onState("following");
    };
    own.addEventListener("log", take);
    own.addEventListener("end", ({ data }: MessageEvent<string>) => {
      const { message } = logEndSchema.parse(JSON.parse(data));
      if (message !== undefined) untold += `\n[${message}]\n`;
      over = true;
      stop();
      tell();
      onState("ended");
    });
    own.onerror = () => {
      onState("interrupted");
      // The browser itself reconnects when the connection was lost. It closes the stream when the server refused it.
      if (own.readyState !== EventSource.CLOSED) return;
      again = setTimeout(follow, Math.min(longestWaitMs, firstWaitMs * 2 ** failures++));
    };
  };
  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    over = true;
    stop();
    clearTimeout(telling);
    document.removeEventListener("visibilitychange", follow);
  };
}
