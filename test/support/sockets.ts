import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const listening = "0A";

/** Returns the ports on which a process listens, according to the kernel's tables instead of the process itself. */
export function listeningPorts(pid: number): number[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(pid, fd))?.[1] ?? []),
  );
  const ports = ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === listening && inodes.has(fields[9] ?? ""))
      .map((fields) => Number.parseInt(fields[1]?.split(":")[1] ?? "", 16)),
  );
  return [...new Set(ports)];
}

function linkOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return "";
  }
}
