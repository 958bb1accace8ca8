import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileFolder } from "../../../../../test/support/temporary-folder.js";
import { redisUrls } from "./redis-flags.js";

const folder = fileFolder();

const head = "redis://head:secret@redis:6379";
const queues = "rediss://queues:other@redis:6379/2";

test("a password among the arguments is warned about once for each flag, with what to do instead", () => {
  const { redisUrl, queueRedisUrl, warnings } = redisUrls({ redis: head, queueRedis: queues }, {});
  expect([redisUrl, queueRedisUrl]).toEqual([head, queues]);
  expect(warnings).toEqual([
    expect.stringMatching(/^warning: .*--redis .*PALIMPSEST_REDIS_URL, or PALIMPSEST_REDIS_URL_FILE .*\n$/),
    expect.stringMatching(/--queue-redis .*PALIMPSEST_QUEUE_REDIS_URL/),
  ]);
  for (const warning of warnings) expect(warning).not.toMatch(/secret|other@/);
});

test.each(["redis://redis:6379", "redis://head@redis:6379", "redis://redis:6379/0?x=a:b@c"])(
  "%s has no password and no warning",
  (redis) => {
    expect(redisUrls({ redis }, {})).toEqual({ redisUrl: redis, warnings: [] });
  },
);

test("variables and the files that they name carry the URLs, and a flag comes before them", () => {
  const file = join(folder, "url");
  writeFileSync(file, `${queues}\n`);
  const environment = { PALIMPSEST_REDIS_URL: head, PALIMPSEST_QUEUE_REDIS_URL_FILE: file };
  expect(redisUrls({}, environment)).toEqual({ redisUrl: head, queueRedisUrl: queues, warnings: [] });
  expect(redisUrls({ redis: "redis://other:1" }, environment).redisUrl).toBe("redis://other:1");
  expect(redisUrls({}, { PALIMPSEST_REDIS_URL: "" })).toEqual({ warnings: [] });
});

test.each(["http://redis", "redis", "redis:6379", "rediss//x"])(
  "%s is refused by its flag or variable",
  (url) => {
    expect(() => redisUrls({ redis: url }, {})).toThrow(
      /--redis: must be the URL of a Redis, such as redis:/,
    );
    expect(() => redisUrls({ redis: head, queueRedis: url }, {})).toThrow(
      /--queue-redis: must be the URL of/,
    );
    expect(() => redisUrls({}, { PALIMPSEST_REDIS_URL: url })).toThrow(
      /PALIMPSEST_REDIS_URL: must be the URL/,
    );
  },
);

test("a queues' URL alone, or a file that is not there, is refused by name", () => {
  expect(() => redisUrls({ queueRedis: queues }, {})).toThrow(
    /--queue-redis.*--redis or PALIMPSEST_REDIS_URL/,
  );
  expect(() => redisUrls({}, { PALIMPSEST_REDIS_URL_FILE: join(folder, "none") })).toThrow(
    /PALIMPSEST_REDIS_URL_FILE: .*none cannot be read/,
  );
});
