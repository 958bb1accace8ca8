const units = ["B", "kB", "MB", "GB", "TB"] as const;

/** Formats "950 B", "12.3 kB", "4.1 GB" in decimal units, which downloads and disks are measured in. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}
