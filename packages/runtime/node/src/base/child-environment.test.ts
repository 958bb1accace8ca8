import { expect, test } from "vitest";
import { childEnvironment, fileThreads } from "./child-environment.js";

const plain = {
  PATH: "/bin",
  HOME: "/home/x",
  KEYBOARD: "us",
  TOKENIZERS_PARALLELISM: "false",
  HF_HOME: "/hf",
  PWD: "/home/x",
  HF_ENDPOINT: "http://hub.example:8080/models",
};
const secrets = {
  AWS_SESSION: "1",
  OPENAI_API_KEY: "2",
  GITHUB_TOKEN: "3",
  DB_PASSWORD: "4",
  CLIENT_SECRET: "5",
  hf_token: "6",
  PGPASSWORD: "7",
  MYSQL_PWD: "8",
  SSHPASS: "9",
  GH_PAT: "10",
  NPM_CONFIG__AUTH: "11",
  DATABASE_URL: "postgres://app:secret@db:5432/app",
};

test("actors get the node's environment without its settings and without what looks like a secret", () => {
  expect(childEnvironment({ ...plain, ...secrets, PALIMPSEST_TOKEN: "x", GONE: undefined }, [])).toEqual(
    plain,
  );
});

test("actors have more threads for files where there are many processors, unless the node's environment says how many", () => {
  expect([2, 8, 12, 32, 128].map((processors) => fileThreads(processors, undefined))).toEqual([
    {},
    {},
    { UV_THREADPOOL_SIZE: "6" },
    { UV_THREADPOOL_SIZE: "16" },
    { UV_THREADPOOL_SIZE: "16" },
  ]);
  expect(fileThreads(32, "4")).toEqual({});
});

test("actors choose their precision by the switch that is set on their machine", () => {
  const given = { PALIMPSEST_CPU_BFLOAT16: "off", PALIMPSEST_TOKEN: "x" };
  expect(childEnvironment(given, [])).toEqual({ PALIMPSEST_CPU_BFLOAT16: "off" });
});

test("what is named passes all the same, and all but the node's own settings with a star", () => {
  expect(childEnvironment(secrets, ["OPENAI_API_KEY"])).toEqual({ OPENAI_API_KEY: "2" });
  expect(childEnvironment({ ...plain, ...secrets, PALIMPSEST_TOKEN: "x" }, ["*"])).toEqual({
    ...plain,
    ...secrets,
  });
});
