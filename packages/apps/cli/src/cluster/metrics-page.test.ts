import { expect, test } from "vitest";
import { pageCommand, pageUrl } from "./metrics-page.js";

test("the page of a head is https under TLS, and nothing where it is off", () => {
  expect(pageUrl("127.0.0.1:9", false)).toBe("http://127.0.0.1:9/metrics");
  expect(pageUrl("127.0.0.1:9", true)).toBe("https://127.0.0.1:9/metrics");
  expect(pageUrl("", true)).toBe("");
  expect(pageCommand("", { headDir: "/d", tls: "" })).toBe("off");
});

test("a folder with a space is one word of the shell", () => {
  expect(pageCommand("http://h:9/metrics", { headDir: "/a b/it's", tls: "" })).toContain(
    "$(cat '/a b/it'\\''s/reader-token')",
  );
});
