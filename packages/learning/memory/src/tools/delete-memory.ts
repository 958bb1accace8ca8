import { z } from "zod";
import { shownId } from "./record-lines.js";
import { memoryTool } from "./tool.js";

const schema = z.strictObject({
  memory_id: z.string().min(1).describe("id of the memory to delete"),
  reason: z.string().optional().describe("why it can go"),
});

export const deleteMemory = memoryTool({
  name: "delete_memory",
  description: "Deletes a memory for good.",
  schema,
  async run({ memory_id: named }, { store, style }) {
    const id = shownId(store, named);
    store.delete(id);
    return style === "compact" ? "deleted" : `Deleted [${id}].`;
  },
});
