import { describe, expect, it } from "vitest";
import { processorMs } from "../../../../test/support/processor-time.js";
import { createLogger, type LoggerOptions } from "./logger.js";

function capture(options?: Partial<LoggerOptions>) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    component: "head",
    ...options,
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  return { logger, lines };
}

describe("logger", () => {
  it("writes base fields, level and message", () => {
    const { logger, lines } = capture({ fields: { nodeId: "n1" } });
    logger.info({ stepMs: 12 }, "step done");
    expect(lines[0]).toMatchObject({
      component: "head",
      nodeId: "n1",
      level: "info",
      stepMs: 12,
      msg: "step done",
    });
  });

  it("is quiet below its level", () => {
    const { logger, lines } = capture({ level: "warn" });
    logger.info("not said");
    logger.warn("said");
    expect(lines.map((line) => line["msg"])).toEqual(["said"]);
  });

  it("strikes out secrets at any depth but keeps token counts and ids", () => {
    const { logger, lines } = capture({ fields: { joinToken: "s3cret" } });
    logger.info(
      { token: "s3cret", auth: { deep: [{ api_key: "s3cret" }] }, maxTokens: 5, tokenIds: [1, 2] },
      "connected",
    );
    expect(JSON.stringify(lines)).not.toContain("s3cret");
    expect(lines[0]).toMatchObject({ maxTokens: 5, tokenIds: [1, 2] });
  });

  it("strikes out secrets in the fields of a child logger", () => {
    const { logger, lines } = capture();
    logger.child({ password: "s3cret" }).info("child");
    expect(JSON.stringify(lines)).not.toContain("s3cret");
  });

  it("strikes out passwords in URLs, in fields and in errors", () => {
    const { logger, lines } = capture();
    const error = new Error("cannot reach redis://app:s3cret@db:6379/0");
    logger.error({ err: error, url: "rediss://:s3cret@db:6379" }, "connection failed");
    expect(JSON.stringify(lines)).not.toContain("s3cret");
    expect(JSON.stringify(lines)).toContain("@db:6379");
    expect(lines[0]?.["err"]).toMatchObject({ type: "Error" });
  });

  it("reads a long text of others, such as a model's output in an error, in time that grows with its length", () => {
    const { logger, lines } = capture();
    const timeMs = (letters: number) => {
      const beganAt = processorMs();
      logger.error({ err: new Error(`${"a".repeat(letters)} redis://app:s3cret@db`) }, "refused");
      return processorMs() - beganAt;
    };
    timeMs(1_000);
    // Eight times as much text used to take 64 times as long, which is minutes at this length.
    const [short, long] = [timeMs(12_500), timeMs(100_000)];
    expect(long).toBeLessThan(Math.max(2_000, 30 * short));
    expect(JSON.stringify(lines)).not.toContain("s3cret");
  });
});
