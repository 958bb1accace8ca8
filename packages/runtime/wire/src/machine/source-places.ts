/** Names functions of a profile by the lines that their author wrote, where the module that runs has a source map at its end. */
import { readFileSync, statSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import type { ProfileReading } from "./profile.js";

/** A larger module is none of a user's, and reading it would keep the node from its work. */
const mostBytes = 32 * 1024 * 1024;
const mapAtEnd = /\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+/=]+)\s*$/;
const placed = /^(.*) \((file:.*):(\d+):(\d+)\)$/;

/** @param read returns a module's text; undefined if there is none to read */
export function inSources(profile: ProfileReading, read = moduleText): ProfileReading {
  const maps = new Map<string, SourceMap | undefined>();
  const names = profile.names.map((name) => {
    const [, title = "", url = "", line = "", column = ""] = placed.exec(name) ?? [];
    if (url === "") return name;
    if (!maps.has(url)) maps.set(url, mapOf(read(url)));
    // Lines and columns of a source map are counted from 0, and those of the name from 1.
    const entry = maps.get(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return name;
    return `${title} (${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1})`;
  });
  return { ...profile, names };
}

function mapOf(text: string | undefined): SourceMap | undefined {
  const [, base64] = mapAtEnd.exec(text ?? "") ?? [];
  if (base64 === undefined) return undefined;
  try {
    return new SourceMap(JSON.parse(Buffer.from(base64, "base64").toString("utf8")));
  } catch {
    return undefined;
  }
}

function moduleText(url: string): string | undefined {
  // Packages that are installed run as they were published.
  if (url.includes("/node_modules/")) return undefined;
  try {
    const path = fileURLToPath(url.replace(/[?#].*$/, ""));
    return statSync(path).size > mostBytes ? undefined : readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
