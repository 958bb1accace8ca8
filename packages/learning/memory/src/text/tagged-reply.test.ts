import { describe, expect, it } from "vitest";
import { readReplyAsReleased, readTaggedReply } from "./tagged-reply.js";

describe("readTaggedReply", () => {
  it("takes the first update and the first recall that are not blank, over lines", () => {
    const text = "<thinking>hm</thinking><update> </update><update>a\nb</update>\n<recall>\n who?\n</recall>";
    const { update, updates, recall } = readTaggedReply(text);
    expect(update?.text).toBe("a\nb");
    expect(text.slice(update?.start, update?.end)).toBe("a\nb");
    expect(updates).toBe(1);
    expect(recall?.text).toBe("\n who?\n");
  });

  it("ends a block at its first closing tag and counts every full block", () => {
    const { update, updates } = readTaggedReply("<update>a</update><update>b</update>");
    expect([update?.text, updates]).toEqual(["a", 2]);
  });

  it("finds nothing in open tags, lone tags, blank blocks and other tags' blocks", () => {
    for (const text of ["", "<update>a", "a</update>", "<update>\n</update>", "<note>a</note>"]) {
      expect(readTaggedReply(text)).toEqual({ update: null, updates: 0, recall: null });
    }
  });

  it("reads other tags when told to, whatever they are made of", () => {
    expect(readTaggedReply("<m.1>a</m.1><mx1>b</mx1>", { update: "m.1", recall: "q" }).updates).toBe(1);
  });
});

describe("readReplyAsReleased", () => {
  it("keeps all but recalls as memory and merges the recalls of one line into one query", () => {
    const text = " <thinking>t</thinking><recall>a</recall> <recall>b</recall>\n<update>x</update> ";
    expect(readReplyAsReleased(text)).toEqual({
      memory: "<thinking>t</thinking> \n<update>x</update>",
      query: "a</recall> <recall>b",
    });
  });

  it("loses a query that runs over lines", () => {
    expect(readReplyAsReleased("<recall>a\nb</recall>x")).toEqual({ memory: "x", query: null });
  });
});
