// Remembers what two people say in a conversation, each in a memory of their own, and recalls it in the next one.
import { hashedEmbedder, MemoryStore } from "@palimpsest/memory";

const stores = new Map<string, MemoryStore>();

async function storeOf(user: string): Promise<MemoryStore> {
  const known = stores.get(user) ?? (await MemoryStore.of([], hashedEmbedder()));
  stores.set(user, known);
  return known;
}

const conversation = [
  ["ada", "I moved to Lisbon last spring, close to the river."],
  ["ben", "I never eat fish, but I like mushrooms."],
  ["ada", "My cat is called Tofu and hates trains."],
  ["ada", "On Fridays I play chess with my sister."],
] as const;
for (const [user, content] of conversation) await (await storeOf(user)).create({ content });

for (const [user, question] of [
  ["ada", "what is the cat called?"],
  ["ada", "who plays chess on Fridays?"],
  ["ben", "does he eat fish?"],
] as const) {
  const [hit] = await (await storeOf(user)).search(question, { topK: 1 });
  console.log(`${user}: ${question}\n     → ${hit?.record.content}`);
}
