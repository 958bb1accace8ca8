import type { TrainEvent } from "@palimpsest/trainer";
import { createLogUpdate } from "log-update";
import type { TrainDisplay } from "./train-display.js";

const redrawIntervalMs = 250;

/** Writes a display's output: as a live block on a terminal, and as plain lines in a log. */
export interface Screen {
  onEvent(event: TrainEvent): void;
  close(): void;
}

export function openScreen(display: TrainDisplay, stream: NodeJS.WriteStream): Screen {
  return stream.isTTY ? liveScreen(display, stream) : logScreen(display, stream);
}

function liveScreen(display: TrainDisplay, stream: NodeJS.WriteStream): Screen {
  const log = createLogUpdate(stream);
  const draw = () => log(display.lines(stream.columns || 100).join("\n"));
  const timer = setInterval(draw, redrawIntervalMs);
  timer.unref();
  return {
    onEvent: (event) => display.update(event),
    close: () => {
      clearInterval(timer);
      draw();
      log.done();
    },
  };
}

function logScreen(display: TrainDisplay, stream: NodeJS.WriteStream): Screen {
  return {
    onEvent: (event) => {
      display.update(event);
      const line = display.logLine(event);
      if (line) stream.write(`${line}\n`);
    },
    close: () => undefined,
  };
}
