/**
 * Draws calls as an icicle on one canvas: what called is above what it called, and a bar is as wide as what it took. Only bars
 * that are wide enough to be seen are visited, so that 50,000 calls are as fluid as 500.
 */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type CodeOwner, type Frame, nameParts, ownerOf } from "../../../src/analysis/call-tree.js";
import { percentText } from "../parts/format.js";

const rowHeight = 18;
/** A narrower bar is not drawn, and neither is what it called. */
const narrowest = 0.5;
/** Browsers have a limit for the height of a canvas. */
const mostRows = 500;
const tipWidth = 320;

/** The variables of style/colors.css that color code by its owner. */
const colors: Readonly<Record<CodeOwner, string>> = {
  yours: "--mark",
  palimpsest: "--good",
  packages: "--warn",
  node: "--bad",
  native: "--dim",
};
const owners: readonly (readonly [CodeOwner, string])[] = [
  ["yours", "your code"],
  ["palimpsest", "Palimpsest"],
  ["packages", "packages"],
  ["node", "Node.js"],
  ["native", "native"],
];

interface FlameGraphProps {
  readonly label: string;
  readonly frames: readonly Frame[];
  /** Marks the frames whose names contain it; empty: none. */
  readonly search: string;
  readonly amountText: (amount: number) => string;
}

export function FlameGraph({ label, frames, search, amountText }: FlameGraphProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const zoomed = useSignal(0);
  const current = useSignal(-1);
  const tip = useSignal<{ readonly x: number; readonly y: number } | undefined>(undefined);
  const drawn = useSignal(0);
  const width = useSignal(0);
  const word = search.trim().toLowerCase();
  const found = useMemo(() => matches(frames, word), [frames, word]);
  const rows = useMemo(
    () => Math.min(mostRows, 1 + frames.reduce((most, { depth }) => Math.max(most, depth), 0)),
    [frames],
  );
  useEffect(() => {
    zoomed.value = 0;
    current.value = -1;
    tip.value = undefined;
  }, [frames]);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const again = () => {
      drawn.value += 1;
      width.value = element.clientWidth;
    };
    const watcher = new ResizeObserver(again);
    watcher.observe(element);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", again);
    addEventListener("palimpsest-theme", again);
    return () => {
      watcher.disconnect();
      scheme.removeEventListener("change", again);
      removeEventListener("palimpsest-theme", again);
    };
  }, []);
  const view = useMemo(() => viewOf(frames, zoomed.value), [frames, zoomed.value]);
  useEffect(() => {
    const id = requestAnimationFrame(() => {
      if (canvas.current) draw(canvas.current, { frames, view, found, rows, current: current.value });
    });
    return () => cancelAnimationFrame(id);
  }, [frames, view, found, rows, current.value, drawn.value]);

  const zoom = (index: number) => {
    zoomed.value = index;
    current.value = index;
  };
  const at = (event: MouseEvent): number => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const amount = view.start + ((event.clientX - box.left) / box.width) * view.total;
    return frameAt(frames, view, Math.floor((event.clientY - box.top) / rowHeight), amount);
  };
  const press = (event: KeyboardEvent) => {
    const here = Math.max(0, current.value);
    const next = step(frames, here, event.key);
    if (event.key === "Enter" || event.key === " ") zoom(here);
    else if (event.key === "Escape" || event.key === "Home") zoom(0);
    else if (next !== undefined) {
      current.value = next;
      const frame = frames[next];
      // A frame outside of the enlarged one is shown by enlarging what contains both.
      if (frame && !isWithin(frame, view)) zoomed.value = Math.max(0, frame.parent);
      canvas.current?.parentElement?.scrollTo({ top: ((frame?.depth ?? 0) - 6) * rowHeight });
    } else return;
    tip.value = undefined;
    event.preventDefault();
  };
  const shown = frames[current.value];
  const all = frames[0]?.total ?? 0;
  const share = (amount: number) => percentText(all > 0 ? (100 * amount) / all : 0);
  const { title, url, line } = nameParts(shown?.name ?? "");
  const words = shown
    ? `${title}: ${amountText(shown.self)} (${share(shown.self)}) itself, ${amountText(shown.total)} (${share(shown.total)}) with calls`
    : "";
  const place = url === "" ? "" : `${url}:${line}`;
  return (
    <div data-flame data-frames={frames.length}>
      <p class="flame-keys small">
        {owners.map(([owner, name]) => (
          <span key={owner}>
            <i class={`owner-${owner}`} /> {name}
          </span>
        ))}
        {zoomed.value > 0 ? (
          <button type="button" class="quiet" onClick={() => zoom(0)}>
            Show all
          </button>
        ) : null}
        {word ? (
          <span data-found>
            {found.count} found, {share(found.total)}
          </span>
        ) : null}
      </p>
      <div class="flame-frame">
        <div
          class="flame"
          role="application"
          aria-roledescription="flame graph"
          aria-label={`${label}: arrows move, Enter enlarges, Escape shows all`}
          tabIndex={0}
          onKeyDown={press}
        >
          <canvas
            ref={canvas}
            role="img"
            aria-label={`${frames.length} calls; the functions are listed below`}
            style={{ height: `${rows * rowHeight}px` }}
            onMouseMove={(event) => {
              current.value = at(event);
              const frame = event.currentTarget.closest(".flame-frame")?.getBoundingClientRect();
              tip.value = { x: event.clientX - (frame?.left ?? 0), y: event.clientY - (frame?.top ?? 0) };
            }}
            onMouseLeave={() => {
              tip.value = undefined;
            }}
            onClick={(event) => {
              const index = at(event);
              if (index >= 0) zoom(index);
            }}
          />
        </div>
        {tip.value && shown ? (
          <div
            class="flame-tip"
            aria-hidden="true"
            style={{
              left: `${Math.max(0, Math.min(tip.value.x + 12, width.value - tipWidth))}px`,
              top: `${tip.value.y + 16}px`,
            }}
          >
            <b>{title}</b>
            <span>
              itself {amountText(shown.self)} · {share(shown.self)}
            </span>
            <span>
              with calls {amountText(shown.total)} · {share(shown.total)}
            </span>
            <span class="dim">{place || (title.startsWith("(") ? "native code" : "")}</span>
          </div>
        ) : null}
      </div>
      <p class="small under" aria-live="polite" data-current>
        {words || <span class="dim">point at a bar, or move with the arrows; a click enlarges it</span>}{" "}
        <span class="dim">{place}</span>
      </p>
    </div>
  );
}

/** What is as wide as the canvas: a frame, below the frames that called it. */
interface View {
  readonly index: number;
  readonly start: number;
  readonly total: number;
  readonly end: number;
  /** Its callers, the outermost first. */
  readonly callers: readonly number[];
}

function viewOf(frames: readonly Frame[], index: number): View {
  const callers: number[] = [];
  for (let at = frames[index]?.parent ?? -1; at >= 0; at = frames[at]?.parent ?? -1) callers.unshift(at);
  const { start = 0, total = 0, end = 0 } = frames[index] ?? {};
  return { index, start, total, end, callers };
}

const isWithin = (frame: Frame, view: View) =>
  frame.start >= view.start && frame.start + frame.total <= view.start + view.total * (1 + 1e-9);

interface Matches {
  readonly of: Uint8Array | undefined;
  readonly count: number;
  /** What they took; one within another is not counted twice. */
  readonly total: number;
}

function matches(frames: readonly Frame[], word: string): Matches {
  if (word === "") return { of: undefined, count: 0, total: 0 };
  const of = new Uint8Array(frames.length);
  let count = 0;
  let total = 0;
  let counted = 0;
  for (const [index, frame] of frames.entries()) {
    if (!frame.name.toLowerCase().includes(word)) continue;
    of[index] = 1;
    count += 1;
    if (index < counted) continue;
    total += frame.total;
    counted = frame.end;
  }
  return { of, count, total };
}

interface Drawing {
  readonly frames: readonly Frame[];
  readonly view: View;
  readonly found: Matches;
  readonly rows: number;
  readonly current: number;
}

function draw(element: HTMLCanvasElement, { frames, view, found, rows, current }: Drawing): void {
  const context = element.getContext("2d");
  if (!context) return;
  const width = element.clientWidth;
  element.width = width * devicePixelRatio;
  element.height = rows * rowHeight * devicePixelRatio;
  context.scale(devicePixelRatio, devicePixelRatio);
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name);
  const text = color("--text");
  const fills = new Map(owners.map(([owner]) => [owner, color(colors[owner])]));
  context.font = "11px monospace";
  context.textBaseline = "middle";
  const letter = context.measureText("x").width;
  const bar = (index: number, x: number, wide: number) => {
    const frame = frames[index];
    if (frame === undefined || frame.depth >= rows) return;
    const y = frame.depth * rowHeight;
    const isDim = found.of !== undefined && found.of[index] !== 1;
    context.globalAlpha = isDim ? 0.1 : shadeOf(frame.name);
    context.fillStyle = fills.get(ownerOf(frame.name)) ?? text;
    context.fillRect(x, y, Math.max(narrowest, wide - 0.5), rowHeight - 1);
    context.globalAlpha = isDim ? 0.6 : 1;
    if (index === current) {
      context.strokeStyle = text;
      context.strokeRect(x + 0.5, y + 0.5, Math.max(0, wide - 1.5), rowHeight - 2);
    }
    const letters = Math.floor((wide - 6) / letter);
    if (letters < 3) return;
    const { title } = nameParts(frame.name);
    context.fillStyle = text;
    const shown = title.length > letters ? `${title.slice(0, letters - 1)}…` : title;
    context.fillText(shown, x + 3, y + rowHeight / 2);
  };
  for (const index of view.callers) bar(index, 0, width);
  const scale = view.total > 0 ? width / view.total : 0;
  for (let index = view.index; index < view.end; ) {
    const frame = frames[index] as Frame;
    const wide = frame.total * scale;
    if (wide < narrowest) {
      index = frame.end;
      continue;
    }
    bar(index, (frame.start - view.start) * scale, wide);
    index += 1;
  }
  context.globalAlpha = 1;
}

/** Neighbors have different shades, each function always the same; text is legible on all of them, in light and dark. */
function shadeOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length && at < 40; at++) hash = (hash * 31 + name.charCodeAt(at)) | 0;
  return 0.24 + (Math.abs(hash) % 8) * 0.03;
}

function frameAt(frames: readonly Frame[], view: View, row: number, amount: number): number {
  if (row < view.callers.length) return view.callers[row] ?? -1;
  for (let index = view.index; ; ) {
    const frame = frames[index];
    if (frame === undefined || frame.depth > row) return -1;
    if (frame.depth === row) return index;
    let inner = index + 1;
    while (inner < frame.end && amount >= endOf(frames[inner])) inner = frames[inner]?.end ?? frame.end;
    if (inner >= frame.end) return -1;
    index = inner;
  }
}

const endOf = (frame: Frame | undefined) => (frame ? frame.start + frame.total : 0);

/** @returns the frame to which a key leads; undefined if it is no key that moves */
function step(frames: readonly Frame[], from: number, key: string): number | undefined {
  const frame = frames[from];
  if (frame === undefined) return undefined;
  if (key === "ArrowUp") return Math.max(0, frame.parent);
  if (key === "ArrowDown") return from + 1 < frame.end ? from + 1 : from;
  const parent = frames[frame.parent];
  if (key === "ArrowRight") return parent && frame.end < parent.end ? frame.end : from;
  if (key !== "ArrowLeft") return undefined;
  let before = from;
  for (let at = frame.parent + 1; at < from; at = frames[at]?.end ?? from) before = at;
  return parent ? before : from;
}
