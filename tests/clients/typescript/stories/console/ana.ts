// A vault to look at: what an assistant might remember of Ana after some weeks, stored over JSON.

export interface Seeded {
  // Ids by a short name of the content; `entity` is Ana's, `edge` names a relation of two entities.
  readonly ids: Readonly<Record<string, string>>;
}

type Edge = { fromId: string; relation: string; toId: string };
type Draft = Record<string, unknown> & { content: string };

const DAY = 86_400_000;

// Makes one call of the JSON API.
export async function ask<T>(api: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`http://${api}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as T & { message?: string };
  if (!response.ok) throw new Error(`${method} ${path}: ${answer.message}`);
  return answer;
}

function ago(days: number): string {
  return new Date(Date.now() - days * DAY).toISOString();
}

const MEMORIES: readonly (Draft & { as?: string })[] = [
  { as: "train", content: "Ana's train to Lisbon leaves on Friday at 9:40 from platform 3; her seat is 42 in coach 7.", kind: "KIND_FACT", subject: "Ana", importance: 8, metadata: { tags: ["travel", "lisbon"] }, occurredAt: ago(1) },
  { as: "tea", content: "Ana drinks her tea without sugar, with a slice of lemon.", kind: "KIND_PREFERENCE", subject: "Ana", importance: 5, metadata: { tags: ["food"], userFeedback: { thumbsUp: true } }, occurredAt: ago(30) },
  { as: "allergy", content: "Ana is allergic to hazelnuts. Never suggest recipes or restaurants without checking for them.", kind: "KIND_FACT", subject: "Ana", tier: "TIER_PERMANENT", protected: true, importance: 10, metadata: { tags: ["health", "food"] }, occurredAt: ago(40) },
  { as: "flat", content: "Ana lives in Rua das Flores 12, Porto, on the third floor; the bell says Duarte.", kind: "KIND_FACT", subject: "Ana", importance: 7, metadata: { tags: ["home"] }, occurredAt: ago(90) },
  { as: "answers", content: "From now on, answer Ana in short paragraphs, and always name the source of a figure.", kind: "KIND_PREFERENCE", subject: "Ana", importance: 9, metadata: { tags: ["style"] }, occurredAt: ago(12) },
  { as: "garden", content: "The tomatoes on the balcony want water every second evening; the basil only when its soil is dry.", kind: "KIND_KNOWLEDGE", importance: 3, metadata: { tags: ["garden"] }, occurredAt: ago(21) },
  { as: "decision", content: "Ana decided for the apartment in Cedofeita, since the one in Foz is loud at night and costs 200 euros more.", kind: "KIND_DECISION", subject: "Ana", importance: 8, metadata: { tags: ["home"] }, occurredAt: ago(8) },
  { as: "marta", content: "Marta is Ana's colleague at the museum; they prepare the exhibition on azulejos together.", kind: "KIND_FACT", subject: "Marta", importance: 6, metadata: { tags: ["work", "museum"] }, occurredAt: ago(33) },
  { as: "exhibition", content: "The exhibition on azulejos opens on 12 March; the loans from Coimbra arrive a week before.", kind: "KIND_FACT", subject: "exhibition", importance: 8, metadata: { tags: ["work", "museum"] }, occurredAt: ago(15) },
  { as: "episode", content: "The draft of the catalogue came back with 40 comments, as it had no table of loans. A table first would have saved a week.", kind: "KIND_EPISODE", importance: 6, metadata: { tags: ["work"] }, occurredAt: ago(10) },
  { as: "belief", content: "Ana works best in the morning, before the first meeting.", kind: "KIND_BELIEF", subject: "Ana", confidence: 0.45, sourceType: "SOURCE_TYPE_INFERENCE", metadata: { tags: ["work"] }, occurredAt: ago(9) },
  { as: "jazz", content: "Ana may like jazz: she asked twice for quiet piano music in the evening.", kind: "KIND_BELIEF", subject: "Ana", confidence: 0.35, sourceType: "SOURCE_TYPE_INFERENCE", metadata: { tags: ["music"] }, occurredAt: ago(4) },
  { as: "brother", content: "Ana's brother Tiago studies in Ghent and visits her at Easter.", kind: "KIND_FACT", subject: "Tiago", confidence: 0.5, sourceType: "SOURCE_TYPE_TOLD_BY_AGENT", metadata: { tags: ["family"] }, occurredAt: ago(26) },
  { as: "raw", content: "voice memo: ask Marta whether the loans from Coimbra need the second lorry, and book the small room for Tuesday", kind: "KIND_RAW", metadata: { source: "SOURCE_UPLOAD", channels: ["voice"] } },
  { as: "raw2", content: "clipboard: IBAN of the gallery changed, invoice 2210 still shows the old one", kind: "KIND_RAW" },
  { as: "value", content: "Tell Ana what is uncertain, and how uncertain it is.", kind: "KIND_VALUE", detail: { value: { rank: 1 } }, metadata: { tags: ["identity"] } },
  { as: "books", content: "Ana reads two books at a time, a novel in Portuguese and something on history in English.", kind: "KIND_PREFERENCE", subject: "Ana", metadata: { tags: ["books"] }, occurredAt: ago(50) },
  { as: "run", content: "On Saturdays Ana runs along the Douro to the lighthouse and back, about eleven kilometres.", kind: "KIND_FACT", subject: "Ana", metadata: { tags: ["sport"] }, occurredAt: ago(17) },
  { as: "budget", content: "The budget of the exhibition is 84,000 euros, of which transport may take 12,000.", kind: "KIND_FACT", subject: "exhibition", metadata: { tags: ["work", "museum"] }, occurredAt: ago(14) },
  { as: "key", content: "The spare key hangs behind the blue door of the studio.", kind: "KIND_FACT", subject: "studio", metadata: { tags: ["home"] }, occurredAt: ago(60) },
];

const TURNS = [
  ["ROLE_USER", "Can you help me plan the trip to Lisbon? I want to see the tile museum on Saturday."],
  ["ROLE_ASSISTANT", "Your train leaves on Friday at 9:40. The tile museum opens at ten on Saturdays; shall I look for a lunch near it?"],
  ["ROLE_USER", "Yes, and remember that I cannot eat hazelnuts."],
] as const;

const BLOCKS = [
  ["persona", "Calm and exact. Says what is known and what is a guess.", "How the assistant speaks"],
  ["human", "Ana Duarte, curator at the tile museum in Porto. Portuguese at home, English at work.", "Who Ana is"],
  ["scratch", "- lorry for the loans: ask Marta\n- table of loans before the catalogue", "What is at hand this week"],
] as const;

const FILE = "notes/lisbon.md";

async function tellBlocks(api: string, user: string): Promise<void> {
  for (const [label, content, description] of BLOCKS) {
    await ask(api, "POST", `/v1/users/${user}/core/blocks`, { label, content, description });
  }
  const content = "# Lisbon\n\n- Friday: train at 9:40\n- Saturday: tile museum\n";
  await ask(api, "POST", "/memory", { userId: user, memory: { name: FILE, content, kind: "KIND_NOTE" } });
  await ask(api, "POST", "/memory", { userId: user, memory: { name: "notes/exhibition.md", content: "# Azulejos\n\nOpens on 12 March.\n", kind: "KIND_NOTE" } });
  for (const append of ["- Sunday: Belém, early", "- lunch: ask about hazelnuts"]) {
    await ask(api, "POST", `/v1/users/${user}/named:edit`, { name: FILE, append, reason: "planned together" });
  }
}

// Stores everything. Short-term notes of a session fill that tier above its quota, so that a meditation has work to do.
export async function tellOfAna(api: string, user: string): Promise<Seeded> {
  const drafts = MEMORIES.map(({ as: _as, detail: _detail, ...draft }) => draft);
  const { receipts } = await ask<{ receipts: { id: string }[] }>(api, "POST", `/v1/users/${user}/memories:batchCreate`, { memories: drafts });
  const ids = Object.fromEntries(MEMORIES.map(({ as }, n) => [as ?? "", receipts[n]?.id ?? ""]));
  await tellBlocks(api, user);
  const messages = TURNS.map(([role, content]) => ({ role, content }));
  await ask(api, "POST", `/v1/users/${user}/conversation:observe`, { sessionId: "trip", messages });
  await ask(api, "POST", `/v1/users/${user}/goals`, { title: "Open the exhibition on azulejos in time", importance: 1, tags: ["museum"] });
  const link = { fromId: ids["exhibition"], relation: "RELATION_RELATED_TO", toId: ids["marta"], evidence: "They prepare it together" };
  await ask(api, "POST", `/v1/users/${user}/links`, { link });
  const against = { fromId: ids["run"], relation: "RELATION_CONTRADICTS", toId: ids["belief"], evidence: "She was seen at her desk by eight, before the run" };
  await ask(api, "POST", `/v1/users/${user}/links`, { link: against });
  await ask(api, "POST", `/v1/users/${user}/memories/${ids["flat"]}:correct`, { content: "Ana lives in Rua das Flores 12, Porto, on the second floor; the bell says Duarte.", reason: "Ana said so" });
  const helped = { memoryIds: Object.values(ids), outcome: "OUTCOME_HELPFUL" };
  await ask(api, "POST", `/v1/users/${user}/memories:recordOutcome`, helped);
  await crowd(api, user);
  // Meditations have found her by now.
  const { entities } = await ask<{ entities: { id: string }[] }>(api, "GET", `/v1/users/${user}/entities?search=Ana`);
  const { edges } = await ask<{ edges: Edge[] }>(api, "GET", `/v1/users/${user}/graph?limit=200`);
  const [edge] = edges.filter(({ relation }) => relation !== "ENTITY_RELATION_RELATED_TO");
  return { ids: { ...ids, entity: entities[0]?.id ?? "", edge: edge ? [edge.fromId, edge.relation, edge.toId].join("~") : "" } };
}

async function setQuota(api: string, user: string, bytes: number): Promise<void> {
  const userSettings = { longTermQuotaBytes: String(bytes), shortTermQuotaBytes: "65536", permanentQuotaBytes: "65536", archiveAllowanceBytes: "65536" };
  const updateMask = Object.keys(userSettings).join(",");
  await ask(api, "PATCH", `/v1/users/${user}/settings?updateMask=${updateMask}`, userSettings);
}

async function night(api: string, user: string): Promise<void> {
  const { meditation } = await ask<{ meditation: { id: string } }>(api, "POST", `/v1/users/${user}/meditations`, {});
  for (;;) {
    const read = await ask<{ meditation: { status: string } }>(api, "GET", `/v1/users/${user}/meditations/${meditation.id}`);
    if (read.meditation.status === "MEDITATION_STATUS_COMPLETE") return;
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function smallTalk(api: string, user: string, from: number): Promise<void> {
  const topics = ["the weather", "a parking space", "the printer on the first floor", "lunch", "a meeting that moved", "the tram"];
  const memories = Array.from({ length: 12 }, (_, n) => ({
    content: `Small talk about ${topics[n % topics.length]}, number ${from + n}: nothing that anybody would need again.`,
    ...(n < 2 ? { protected: true } : {}),
  }));
  await ask(api, "POST", `/v1/users/${user}/memories:batchCreate`, { memories });
}

// Stores notes of low worth, sets a quota that they exceed, and runs meditations that archive some. A quota that is set after a
// write leaves the next meditation to the story; a write that exceeds a quota would start it.
async function crowd(api: string, user: string): Promise<void> {
  const quotas = [5_800, 6_200, 7_200];
  for (const [wave, quota] of quotas.entries()) {
    await setQuota(api, user, 65_536);
    await smallTalk(api, user, wave * 12 + 1);
    await setQuota(api, user, quota);
    if (wave < quotas.length - 1) await night(api, user);
  }
}
