import { chownSync, lchownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Command } from "../../../../../test/support/command.js";
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

test("the user's file without an address applies to the heads that options and variables name, none changes nothing", () => {
  const { folder, found } = files(undefined, { tokenFile: "/t", tls: "certs" });
  const own = { tokenFile: "/t", tls: join(folder, "palimpsest/certs") };
  expect(found()).toMatchObject({ address: undefined, ...own });
  expect(found({ PALIMPSEST_ADDRESS: "env:3" })).toMatchObject(own);
  expect(found({}, true)).toMatchObject(own);
  expect(files(undefined).found()).toMatchObject({
    address: undefined,
    tokenFile: undefined,
    tls: undefined,
  });
});

test("no token of this user goes to the head that a project names", () => {
  const { folder, found } = files({ address: "stranger:1" }, { tokenFile: "/t", tls: "/certs" });
  const secrets = { PALIMPSEST_TOKEN: "of-env", PALIMPSEST_TOKEN_FILE: "/env", PALIMPSEST_TLS: "/env-certs" };
  expect(found(secrets)).toMatchObject({ address: "stranger:1", tokenFile: undefined, tls: undefined });
  const environment = { XDG_CONFIG_HOME: folder, ...secrets };
  const whole = withConnectionFiles(connectionFiles(false, environment, folder), environment).environment;
  expect(Object.values(whole)).not.toContain("of-env");
});

test("what cannot apply is not read, and a working folder that is gone or closed has no project", () => {
  const { found } = files({ address: "a:1", later: "key" });
  expect(found({ PALIMPSEST_ADDRESS: "env:3" }).address).toBe("env:3");
  expect(found({}, true).address).toBeUndefined();
  const file = join(testFolder(), "file");
  writeFileSync(file, "");
  expect(connectionFiles(false, { XDG_CONFIG_HOME: file }, join(file, "no/folder"))[0]?.settings).toEqual([]);
  const gone = testFolder();
  const before = process.cwd;
  process.cwd = () => {
    throw new Error(`ENOENT: uv_cwd ${gone}`);
  };
  try {
    expect(connectionFiles(false, { XDG_CONFIG_HOME: gone })[0]?.settings).toEqual([]);
  } finally {
    process.cwd = before;
  }
});

test.each([
  [{ adress: "a:1" }, /config\.json: unknown key "adress"; did you mean "address"\?/],
  [{ token: "geheim" }, /config\.json: unknown key "token"; did you mean "tokenFile"\?$/],
  [{ address: "localhost" }, /config\.json: address: give HOST:PORT, .*it is "localhost"/],
  [{ address: "a:1", tls: 7 }, /config\.json: tls: must be a text; it is 7/],
  [{ tls: "certs" }, /config\.json: address: is missing; a project's file says where its head is/],
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
  const refused =
    /config\.json: tokenFile: is ".*", outside of the project, .* give address and token yourself$/;
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
  const { folder, projectPath, found } = files({ address: "stranger:1" }, { address: "user:2" });
  chownSync(projectPath, 4321, 4321);
  expect(found().address).toBe("user:2");
  const environment = { XDG_CONFIG_HOME: folder };
  expect(connectionFiles(false, environment, folder)[0]?.settings).toEqual([]);
  // Nor is a link of another user to a file of this one.
  rmSync(projectPath);
  writeFileSync(join(folder, "own.json"), '{ "address": "stranger:1" }');
  symlinkSync(join(folder, "own.json"), projectPath);
  lchownSync(projectPath, 4321, 4321);
  expect(found().address).toBe("user:2");
});

// A container's root works in a mounted folder of the host's user.
test.skipIf(process.getuid?.() !== 0)(
  "a file of another user is ignored with a warning, once, on standard error",
  async () => {
    const { folder, projectPath } = files({ address: "127.0.0.1:1", tokenFile: "token" });
    writeFileSync(join(folder, "token"), "geheim");
    chownSync(projectPath, 4321, 4321);
    const environment = { XDG_CONFIG_HOME: folder, PALIMPSEST_DATA_DIR: folder, PALIMPSEST_ADDRESS: "" };
    const run = (...args: string[]) => Command.start(args, { cwd: folder, environment }).ended;
    const shown = await run("config", "show", "--json");
    expect(JSON.stringify(JSON.parse(shown.stdout))).not.toContain("127.0.0.1:1");
    expect(
      shown.stderr.match(/is ignored: it belongs to user 4321, and this process runs as user 0/g),
    ).toHaveLength(1);
    expect(shown.stderr).toContain(`${projectPath} is ignored`);
    expect(shown.stderr).toMatch(/--address, PALIMPSEST_ADDRESS/);
    const told = await run("status", "--address", "127.0.0.1:1");
    expect(told.stderr).not.toContain("is ignored");
  },
);
