/** Formats numbers and times as text. */

const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

export function amountText(name: string, amount: number): string {
  if (name === "memory" || name.endsWith("_bytes")) return bytesText(amount);
  return Number.isInteger(amount) ? String(amount) : amount.toFixed(2);
}

export function durationText(ms: number): string {
  const seconds = Math.max(0, ms / 1000);
  // Calls of actors take less than a millisecond, which must not read as none.
  if (ms > 0 && ms < 10) return `${Number(ms.toPrecision(2))} ms`;
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return twoUnits(seconds, 60, "min", 1, "s");
  if (seconds < 86_400) return twoUnits(seconds, 3600, "h", 60, "min");
  return twoUnits(seconds, 86_400, "d", 3600, "h");
}

function twoUnits(seconds: number, large: number, name: string, small: number, rest: string): string {
  const left = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)} ${name}${left > 0 ? ` ${left} ${rest}` : ""}`;
}

/** Formats a time as the command prints it (ISO 8601, UTC), to the second. */
export function timeText(atMs: number): string {
  return atMs > 0 ? `${new Date(atMs).toISOString().slice(0, 19)}Z` : "";
}

export function percentText(value: number): string {
  return `${value >= 10 || value === 0 ? Math.round(value) : value.toFixed(1)} %`;
}

/** Formats a number with few digits, for tables and axes. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}
