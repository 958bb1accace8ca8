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
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

export function timeText(atMs: number): string {
  return atMs > 0 ? new Date(atMs).toLocaleString() : "";
}

/** Formats a number with few digits, for tables and axes. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

export function shortId(id: string): string {
  return id.length > 14 ? `${id.slice(0, 13)}…` : id;
}
