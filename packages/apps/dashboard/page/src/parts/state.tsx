/** Small components that every page uses: a state as a colored word, a bar, an error. */
import type { ComponentChildren } from "preact";

const tones: Readonly<Record<string, string>> = {
  alive: "good",
  succeeded: "good",
  running: "mark",
  starting: "mark",
  pending: "warn",
  suspect: "warn",
  restarting: "warn",
  stopping: "warn",
  stopped: "dim",
  ended: "dim",
  dead: "bad",
  failed: "bad",
};

export function State({ of }: { readonly of: string }) {
  return <span class={`state ${tones[of] ?? "dim"}`}>{of}</span>;
}

/** Shows how much of something is leased. */
export function LeaseBar({ label, used, total, text }: LeaseBarProps) {
  const share = total > 0 ? Math.min(1, Math.max(0, used / total)) : 0;
  return (
    <div class="used">
      <span class="used-label">{label}</span>
      <meter class="used-bar" min={0} max={1} value={share} aria-label={`${label} leased`} />
      <span class="used-text">{text}</span>
    </div>
  );
}

interface LeaseBarProps {
  readonly label: string;
  readonly used: number;
  readonly total: number;
  readonly text: string;
}

/** Shows why data could not be loaded. Data that was loaded before stays visible and may be out of date. */
export function Problem({ text }: { readonly text: string }) {
  return text === "" ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

export function Card({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Loading() {
  return <p class="dim">loading…</p>;
}

/** Shows a sentence in which names of settings stand between backticks. */
export function WithCode({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}
