import { chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { connectionFiles, withConnectionFiles } from "./connection-files.js";

/** A project with a folder in it, and a user's folder of settings, with what their files say. */
function files(project: unknown, user?: unknown) {
  const folder = testFolder();
  const [projectPath, userPath] = [
    join(folder, "palimpsest.config.json"),
    join(folder, "palimpsest/config.json"),
  ];
  const inner = join(folder, "src");
  for (const made of [inner, join(folder, "palimpsest")]) mkdirSync(made);
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
  if (project !== undefined) writeFileSync(projectPath, text(project));
  if (user !== undefined) writeFileSync(userPath, text(user));
  const found = (environment: Record<string, string> = {}, isNamed = false) => {
    const all = { XDG_CONFIG_HOME: folder, ...environment };
    const { environment: whole, sourceOf } = withConnectionFiles(connectionFiles(isNamed, all, inner), all);
    const { PALIMPSEST_ADDRESS: address, PALIMPSEST_TOKEN_FILE: tokenFile, PALIMPSEST_TLS: tls } = whole;
    return { address, tokenFile, tls, sourceOf };
  };
  return { folder, projectPath, userPath, found };
}

test("the environment comes before the project's file, and that before the user's", () => {
  const { folder, projectPath, userPath, found } = files(
    { address: "project:1", tls: "certs/driver" },
    { address: "user:2", tokenFile: "/secret/token" },
  );
  const project = found();
  expect(project).toMatchObject({ address: "project:1", tls: join(folder, "certs/driver") });
  expect(project.sourceOf("address")).toBe(`address of ${projectPath}:2`);
  expect(project.sourceOf("tls")).toBe(`tls of ${projectPath}:3`);
  // The user's token is for the user's head.
  expect(project.tokenFile).toBeUndefined();
  const own = found({ PALIMPSEST_ADDRESS: "env:3" });
  expect(own).toMatchObject({ address: "env:3", tokenFile: undefined, tls: undefined });
  expect(own.sourceOf("address")).toBe("PALIMPSEST_ADDRESS");
  expect(found({ PALIMPSEST_ADDRESS: "" }).address).toBe("project:1");
  expect(found({}, true)).toMatchObject({ address: undefined, tls: undefined });
  const user = files(undefined, { tokenFile: "token", address: "user:2" });
  expect(user.found()).toMatchObject({
    address: "user:2",
    tokenFile: join(user.folder, "palimpsest/token"),
  });
  expect(user.found().sourceOf("tokenFile")).toBe(`tokenFile of ${user.userPath}:2`);
  expect(userPath).not.toBe(user.userPath);
});

test("a file without an address applies to every head, and none at all changes nothing", () => {
  const { folder, found } = files({ tls: "certs" }, { address: "user:2", tokenFile: "/t" });
  expect(found()).toMatchObject({ address: "user:2", tokenFile: "/t", tls: join(folder, "certs") });
  expect(found({ PALIMPSEST_ADDRESS: "env:3" })).toMatchObject({
    tokenFile: undefined,
    tls: join(folder, "certs"),
  });
  expect(files(undefined).found()).toMatchObject({
    address: undefined,
    tokenFile: undefined,
    tls: undefined,
  });
});

test.each([
  [{ adress: "a:1" }, /config\.json: unknown key "adress"; did you mean "address"\?/],
  [{ token: "geheim" }, /config\.json: unknown key "token"; did you mean "tokenFile"\?$/],
  [{ address: "localhost" }, /config\.json: address: give HOST:PORT, .*it is "localhost"/],
  [{ tls: 7 }, /config\.json: tls: must be a text; it is 7/],
  ["{", /config\.json: .*line 1/],
  [[], /config\.json: must be an object/],
])("%j is refused by file and key", (said, problem) => {
  const { found } = files(said);
  expect(() => found()).toThrow(problem);
  expect(() => found()).not.toThrow(/geheim/);
});

test("a project's file names no token outside of its folder, since a stranger's head would be told it", () => {
  const inside = files({ address: "project:1", tokenFile: "secrets/token" });
  expect(inside.found().tokenFile).toBe(join(inside.folder, "secrets/token"));
  const refused = /config\.json: tokenFile: is ".*", outside of the project, .*PALIMPSEST_TOKEN_FILE/;
  for (const tokenFile of ["../token", "/etc/hostname", ".."]) {
    const { found } = files({ address: "stranger:1", tokenFile });
    expect(() => found()).toThrow(refused);
  }
  const linked = files({ address: "stranger:1", tokenFile: "token" });
  symlinkSync("/etc/hostname", join(linked.folder, "token"));
  expect(() => linked.found()).toThrow(refused);
});

// Only the administrator can give a file away.
test.skipIf(process.getuid?.() !== 0)("a file of another user of the machine is no project's", () => {
  const { projectPath, found } = files({ address: "stranger:1" }, { address: "user:2" });
  chownSync(projectPath, 4321, 4321);
  expect(found().address).toBe("user:2");
});
