// Whether dashboards are what Grafana's own types (@grafana/grafana-foundation-sdk) allow: a compiler reads each of them as a literal.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../setup/command.mjs";
import { root } from "../setup/paths.mjs";

/**
 * The types of JSON files: enums are their values, and methods that only mark a kind are absent. Options are partial, because Grafana
 * fills in each plugin's defaults. The last declaration is wrong on purpose: a compiler that finds nothing wrong with it checks nothing.
 */
const types = `
import type { Dashboard, FieldConfig, Panel, RowPanel } from "@grafana/grafana-foundation-sdk/dashboard";
import type { Dataquery } from "@grafana/grafana-foundation-sdk/prometheus";
import type { Options as StatOptions } from "@grafana/grafana-foundation-sdk/stat";
import type { FieldConfig as TimeseriesFields, Options as TimeseriesOptions } from "@grafana/grafana-foundation-sdk/timeseries";

type Value<T> = T extends string ? \`\${T}\` : T extends (infer Item)[] ? Value<Item>[] : T extends object ? Fields<T> : T;
type Fields<T> = { [Name in keyof T as Name extends \`_\${string}\` ? never : Name]: Value<T[Name]> };
type Part<T> = T extends (infer Item)[] ? Part<Item>[] : T extends object ? { [Name in keyof T]?: Part<T[Name]> } : T;
type Of<Kind extends string, Options, Custom> =
  Omit<Fields<Panel>, "type" | "targets" | "options" | "fieldConfig"> & {
    type: Kind;
    targets: (Fields<Dataquery> & { refId: string })[];
    options: Part<Value<Options>>;
    fieldConfig: { defaults: Omit<Fields<FieldConfig>, "custom"> & { custom?: Part<Value<Custom>> }; overrides: never[] };
  };
type Board = Omit<Fields<Dashboard>, "panels" | "templating" | "annotations" | "links"> & {
  links: Part<Fields<NonNullable<Dashboard["links"]>[number]>>[];
  panels: ((Fields<RowPanel> & { type: "row" }) | Of<"stat", StatOptions, {}> | Of<"timeseries", TimeseriesOptions, TimeseriesFields>)[];
};
// @ts-expect-error
const wrong: Of<"stat", StatOptions, {}>["options"] = { colorMode: "valu" };
`;

/** @param {Record<string, object>} dashboards by name. @throws {Error} with what the compiler says */
export async function checkSchema(dashboards) {
  // Beside the packages, where the compiler finds Grafana's.
  const folder = join(root, "node_modules/.palimpsest-grafana");
  mkdirSync(folder, { recursive: true });
  const literals = Object.entries(dashboards).map(
    ([name, board]) => `export const ${name}: Board = ${JSON.stringify(board, null, 2)};\n`,
  );
  try {
    writeFileSync(join(folder, "boards.ts"), types + literals.join(""));
    const options = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "esnext",
      "--moduleResolution",
      "bundler",
    ];
    const ignored = ["--ignoreConfig", "--types", "", "--target", "es2022", "--singleThreaded"];
    await run(
      process.execPath,
      [join(root, "node_modules/typescript/bin/tsc"), ...options, ...ignored, "boards.ts"],
      {
        cwd: folder,
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
