/** Writes the front end and all its answers about some runs into a folder that can be opened without a server. */

import { cp, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "@palimpsest/std/files";
import { PalimpsestError } from "@palimpsest/wire";
import type { Session } from "../api/session.js";
import { episodesAtOnce, staticName } from "../api/static-name.js";
import { RunData } from "./run-data.js";

export interface ExportedRuns {
  readonly runs: number;
  readonly episodes: number;
  readonly bytes: number;
}

/** @param pages folder of the built front end */
export async function exportRuns(
  folders: readonly string[],
  out: string,
  pages: string,
): Promise<ExportedRuns> {
  const data = new RunData(folders);
  let bytes = 0;
  const write = async (path: string, json: string) => {
    const name = staticName(path);
    const file = join(out, "data", `${name}.js`);
    const text = `palimpsestAnswer(${JSON.stringify(name)},${json})\n`;
    makeFolder(dirname(file));
    await writeFile(file, text);
    bytes += Buffer.byteLength(text);
  };
  try {
    const list = await data.runs();
    if (list.rows.length === 0)
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `${folders.join(", ")}: contains no run: give folders of runs`,
      );
    makeFolder(out);
    await cp(pages, out, { recursive: true });
    const page = await readFile(join(out, "index.html"), "utf8");
    await writeFile(
      join(out, "index.html"),
      page.replace('<script src="app.js"', '<script src="static.js"></script>\n    <script src="app.js"'),
    );
    await writeFile(join(out, "static.js"), "globalThis.palimpsestStatic = true;\n");
    const session: Session = {
      source: "folders",
      role: "reader",
      mayChange: false,
      clusterId: "",
      clusterName: "",
      version: "",
      startedAtMs: 0,
    };
    await write("/session", JSON.stringify(session));
    await write("/runs", JSON.stringify({ ...list, folders: ["this folder"] }));
    let episodes = 0;
    for (const { id } of list.rows) {
      const run = `/runs/${encodeURIComponent(id)}`;
      await write(`${run}/metrics`, JSON.stringify({ ...(await data.metrics(id)), generation: 0 }));
      await data.complete(id);
      for (let from = 0; ; from += episodesAtOnce) {
        const rows = await data.episodes(id, from, episodesAtOnce);
        // A constant generation replaces the random one, so that two exports of the same run are equal.
        await write(
          `${run}/episodes?from=${from}`,
          JSON.stringify({ ...rows, reading: false, generation: 0 }),
        );
        for (const { at } of rows.rows) {
          await write(`${run}/episodes/${at}`, (await data.episode(id, at)).toString("utf8"));
          episodes += 1;
        }
        if (from + episodesAtOnce >= rows.total) break;
      }
    }
    return { runs: list.rows.length, episodes, bytes };
  } finally {
    await data.close();
  }
}
