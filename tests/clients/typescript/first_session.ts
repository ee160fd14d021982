// A first session: remember, recall, see what a meditation would do, forget and restore.
import { createChannel, createClient } from "nice-grpc";
import { MeditationServiceDefinition } from "./generated/kimberly/v1/meditation_service.js";
import { MemoryServiceDefinition } from "./generated/kimberly/v1/memory_service.js";

const channel = createChannel(process.argv[2] ?? "127.0.0.1:7420");
const memories = createClient(MemoryServiceDefinition, channel);
const meditations = createClient(MeditationServiceDefinition, channel);
const userId = "ana";

// Remember
for (const content of ["Ana is allergic to peanuts.", "Ana's train to Lisbon leaves on Friday at 9:40.", "Ana likes window seats."]) {
  const memory = { content, speaker: "Ana", metadata: { tags: ["travel"] } };
  const { receipt } = await memories.createMemory({ userId, memory });
  console.log(`remembered ${receipt?.sizeBytes} bytes as ${receipt?.id}`);
}

// Recall
const { results } = await memories.queryMemories({ userId, query: "When does the train leave?", topK: 3 });
for (const { score, memory } of results) {
  console.log(`${score.toFixed(2)}  ${memory?.content}`);
}

// Meditate: what would be archived or erased now, and why
const plan = await meditations.meditate({ userId, dryRun: true });
console.log(`a meditation would archive ${plan.meditation?.archived} and erase ${plan.meditation?.pruned} memories`);

// Forget, and change your mind
const best = results[0]?.memory;
await memories.deleteMemory({ userId, id: best?.id });
await memories.restoreMemory({ userId, id: best?.id, protect: true });
console.log(`restored and protected: ${best?.content}`);

channel.close();
