import type { EvaluationReport, Phase, QueueDepth, StepReport, TrainEvent } from "@palimpsest/trainer";
import { counted, formatCount } from "./count.js";
import { formatSeconds } from "./duration.js";
import { sparkline } from "./sparkline.js";

/**
 * The state of a run's display: `update` adds an event, and `lines` renders the state. The class is pure except for the
 * clock that it is given.
 */
export class TrainDisplay {
  readonly #title: string;
  readonly #nowMs: () => number;
  readonly #startedAtMs: number;
  #phase: Phase = "starting";
  #phaseStartedAtMs: number;
  #done = 0;
  #total = 1;
  #last: StepReport | undefined;
  #rewards: number[] = [];
  #queues: readonly QueueDepth[] = [];
  #notices: string[] = [];
  #download: Extract<TrainEvent, { readonly kind: "download" }> | undefined;
  /** A log has one line per tenth of a download. */
  #toldTenths = 0;
  /** A log has one line per quarter of a phase. */
  #toldQuarters = 0;

  constructor(title: string, nowMs: () => number) {
    this.#title = title;
    this.#nowMs = nowMs;
    this.#startedAtMs = nowMs();
    this.#phaseStartedAtMs = this.#startedAtMs;
  }

  update(event: TrainEvent): void {
    switch (event.kind) {
      case "phase":
        this.#phase = event.phase;
        this.#phaseStartedAtMs = this.#nowMs();
        this.#done = 0;
        this.#total = Math.max(1, event.total);
        return;
      case "progress":
        this.#done = event.done;
        this.#total = Math.max(1, event.total);
        return;
      case "step":
        this.#last = event.report;
        this.#rewards.push(event.report.rewardMean);
        this.#done = event.report.step;
        this.#total = event.report.steps;
        return;
      case "evaluation":
        this.#notices = [...this.#notices.slice(-2), evaluationLine(event.report)];
        return;
      case "queues":
        this.#queues = event.queues;
        return;
      case "download":
        this.#download = event;
        return;
      case "notice":
        this.#notices = [...this.#notices.slice(-2), event.text];
        return;
    }
  }

  /** Estimates the seconds until this phase ends, at its pace so far. */
  get #etaSeconds(): number {
    if (this.#done === 0) return Number.NaN;
    const elapsed = (this.#nowMs() - this.#phaseStartedAtMs) / 1000;
    return (elapsed / this.#done) * (this.#total - this.#done);
  }

  lines(width: number): string[] {
    const barWidth = Math.max(10, Math.min(40, width - 60));
    const filled = Math.round((this.#done / this.#total) * barWidth);
    const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
    const elapsed = formatSeconds((this.#nowMs() - this.#startedAtMs) / 1000);
    const lines = [
      `${this.#title}   elapsed ${elapsed}`,
      `${this.#phase.padEnd(18)} ${bar} ${this.#done}/${this.#total}   ETA ${formatSeconds(this.#etaSeconds)}`,
    ];
    const last = this.#last;
    if (this.#phase === "starting" && this.#download) lines.push(downloadLine(this.#download));
    if (last) {
      const exactMatch = last.components["exactMatch"];
      lines.push(
        `reward             ${last.rewardMean.toFixed(3)}  ${sparkline(this.#rewards, barWidth)}`,
        `exact match        ${exactMatch === undefined ? "–" : exactMatch.toFixed(3)}    policy version ${last.policyVersion}    groups trained ${last.groupsTrained}, failed ${last.groupsFailed}`,
        `sampler            ${formatCount(last.samplerTokensPerSecond)} tokens/s    learner ${formatCount(last.learnerTokensPerSecond)} tokens/s`,
        `loss               ${last.update.loss.toFixed(4)}    KL ${last.update.klK3.toFixed(4)}    gradient norm ${last.update.gradientNorm.toFixed(3)}    entropy ${last.update.entropy.toFixed(3)}`,
      );
    }
    if (this.#queues.length > 0) {
      const depths = this.#queues.map(
        (queue) => `${queue.name} ${queue.waiting + queue.delayed}+${queue.active}`,
      );
      lines.push(`queues             ${depths.join("    ")}   (waiting+active)`);
    }
    for (const notice of this.#notices) lines.push(`note               ${notice}`);
    return lines.map((line) => (line.length > width ? `${line.slice(0, width - 1)}…` : line));
  }

  /** Returns one line for a log file after each step; empty if there is nothing to report. */
  logLine(event: TrainEvent): string {
    switch (event.kind) {
      case "phase":
        this.#toldQuarters = 0;
        return `phase: ${event.phase}${doing(event)}`;
      case "step": {
        const { report } = event;
        const eta = formatSeconds(this.#etaSeconds);
        return `step ${report.step}/${report.steps}  reward ${report.rewardMean.toFixed(3)}${sampledNote(report)}  KL ${report.update.klK3.toFixed(4)}  sampler ${formatCount(report.samplerTokensPerSecond)} tokens/s  learner ${formatCount(report.learnerTokensPerSecond)} tokens/s  version ${report.policyVersion}  groups ${report.groupsTrained} trained ${report.groupsFailed} failed  ETA ${eta}`;
      }
      case "evaluation":
        return evaluationLine(event.report);
      case "notice":
        return `note: ${event.text}`;
      case "download": {
        const tenths = Math.floor((event.doneBytes / Math.max(1, event.totalBytes)) * 10);
        if (tenths <= this.#toldTenths) return "";
        this.#toldTenths = tenths;
        return downloadLine(event);
      }
      case "progress": {
        const quarters = Math.floor((event.done / Math.max(1, event.total)) * 4);
        if (quarters <= this.#toldQuarters || quarters === 4) return "";
        this.#toldQuarters = quarters;
        return `${event.phase}: ${event.done} of ${event.total} answers`;
      }
      case "queues":
        return "";
    }
  }
}

function evaluationLine({
  step,
  metric,
  value,
  best,
  withoutGain,
  stops,
  seconds,
}: EvaluationReport): string {
  const standing =
    best.step === step ? "the best so far" : `best ${best.value.toFixed(3)} at step ${best.step}`;
  const end = stops ? `; the run ends after ${withoutGain} evaluations without improvement` : "";
  return `evaluated step ${step}  ${metric} ${value.toFixed(3)}, ${standing}  ${formatSeconds(seconds)}${end}`;
}

function downloadLine({ file, doneBytes, totalBytes }: Extract<TrainEvent, { kind: "download" }>): string {
  return `downloading model  ${file}   ${(doneBytes / 1e6).toFixed(0)} of ${(totalBytes / 1e6).toFixed(0)} MB`;
}

/** Formats the mean reward of all sampled episodes, in addition to that of the episodes that were trained on. */
export function sampledNote({ rejected }: Pick<StepReport, "rejected">): string {
  if (rejected === undefined) return "";
  return ` (${rejected.sampledRewardMean.toFixed(3)} with ${rejected.groups} groups left out)`;
}

/** Describes the work of a phase, for readers who wait for the next line of a log. */
function doing({ phase, total }: Extract<TrainEvent, { readonly kind: "phase" }>): string {
  switch (phase) {
    case "starting":
      return ", the processes of the run load the model";
    case "evaluating before":
    case "evaluating after":
      return `, ${counted(total, "answer")}`;
    case "training":
      return `, ${counted(total, "step")}`;
    case "done":
      return "";
  }
}
