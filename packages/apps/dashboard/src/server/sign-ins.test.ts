import { expect, test } from "vitest";
import { SignIns } from "./sign-ins.js";

const hour = 3_600_000;

test("a sign-in outlives a restart with the same token, for twelve hours, and never tells the token (DASHBOARD-2)", () => {
  let nowMs = 1_000;
  const start = (token: string) => new SignIns({ now: () => nowMs }, () => token);
  const cookie = start("cluster-token").begin("Bearer reader-token");
  expect(Buffer.from(cookie, "base64url").toString("latin1")).not.toContain("reader-token");
  const restarted = start("cluster-token");
  expect(restarted.authorizationOf(cookie)).toBe("Bearer reader-token");
  expect(start("another-token").authorizationOf(cookie)).toBeUndefined();
  nowMs += 12 * hour - 1;
  expect(restarted.authorizationOf(cookie)).toBe("Bearer reader-token");
  nowMs += 1;
  expect(restarted.authorizationOf(cookie)).toBeUndefined();
});

test("a changed cookie, another form of it and one that was signed out are nobody's", () => {
  const signIns = new SignIns({ now: () => 0 }, () => "cluster-token");
  const cookie = signIns.begin("Bearer t");
  for (let at = 0; at < cookie.length; at++) {
    const other = cookie[at] === "A" ? "B" : "A";
    expect(signIns.authorizationOf(cookie.slice(0, at) + other + cookie.slice(at + 1))).toBeUndefined();
  }
  for (const text of ["", "x", cookie.slice(1), `${cookie}=`, `${cookie}A`])
    expect(signIns.authorizationOf(text)).toBeUndefined();
  signIns.end(cookie);
  expect(signIns.authorizationOf(cookie)).toBeUndefined();
  expect(signIns.authorizationOf(signIns.begin("Bearer t"))).toBe("Bearer t");
});

test("a rotated secret ends no sign-in by itself: its token says for how long it is accepted", () => {
  let secret = "first";
  const signIns = new SignIns({ now: () => 0 }, () => secret);
  const cookie = signIns.begin("Bearer t");
  secret = "second";
  expect(signIns.authorizationOf(cookie)).toBe("Bearer t");
  for (const next of ["third", "fourth", "fifth"]) {
    secret = next;
    signIns.authorizationOf("x");
  }
  expect(signIns.authorizationOf(cookie)).toBeUndefined();
});
