/** Draws lanes of calls as one canvas, so that thousands of bars are one element. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { CallTimeline } from "../../../src/analysis/call-lanes.js";
import type { TaskRow } from "../../../src/api/tasks.js";
import { durationText } from "../parts/format.js";

const laneHeight = 22;
const barHeight = 15;
const labelWidth = 130;

export function LaneCanvas({ timeline }: { readonly timeline: CallTimeline }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const under = useSignal("");
  const { lanes, fromMs, toMs } = timeline;
  const spanMs = Math.max(1, toMs - fromMs);
  const end = (call: TaskRow) => call.endedAtMs || toMs;
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context) return;
    const width = element.clientWidth;
    const height = lanes.length * laneHeight;
    element.style.height = `${height}px`;
    element.width = width * devicePixelRatio;
    element.height = height * devicePixelRatio;
    context.scale(devicePixelRatio, devicePixelRatio);
    const style = getComputedStyle(element);
    const color = (name: string) => style.getPropertyValue(name);
    const colors = {
      task: color("--good"),
      call: color("--mark"),
      transfer: color("--warn"),
      unknown: color("--dim"),
    };
    context.font = "12px system-ui";
    context.textBaseline = "middle";
    lanes.forEach((lane, index) => {
      const top = index * laneHeight;
      context.fillStyle = color("--text");
      context.fillText(lane.title, 0, top + laneHeight / 2, labelWidth - 8);
      context.fillStyle = color("--shade");
      context.fillRect(labelWidth, top + 3, width - labelWidth, barHeight);
      for (const call of lane.calls) {
        const x =
          labelWidth + ((Math.max(call.startedAtMs, fromMs) - fromMs) / spanMs) * (width - labelWidth);
        const long = ((end(call) - Math.max(call.startedAtMs, fromMs)) / spanMs) * (width - labelWidth);
        context.fillStyle = call.state === "failed" ? color("--bad") : colors[call.kind];
        context.globalAlpha = 0.8;
        context.fillRect(x, top + 3, Math.max(1, long), barHeight);
        context.globalAlpha = 1;
      }
    });
  }, [timeline]);
  const point = (event: MouseEvent) => {
    const element = canvas.current;
    if (!element) return;
    const box = element.getBoundingClientRect();
    const lane = lanes[Math.floor((event.clientY - box.top) / laneHeight)];
    const at = fromMs + ((event.clientX - box.left - labelWidth) / (box.width - labelWidth)) * spanMs;
    const call = lane?.calls.findLast((one) => one.startedAtMs <= at && end(one) >= at);
    under.value = call
      ? `${lane?.title}: ${call.name}, ${call.state}, ran ${durationText(end(call) - call.startedAtMs)}${call.queuedAtMs ? `, waited ${durationText(call.startedAtMs - call.queuedAtMs)}` : ""} ${call.error}`
      : (lane?.title ?? "");
  };
  return (
    <>
      <canvas
        class="squares"
        ref={canvas}
        role="img"
        aria-label={`Calls of ${lanes.length} processes over time; the table below has their sums`}
        onMouseMove={point}
      />
      <p class="dim small under">{under.value || "point at a bar"}</p>
    </>
  );
}
