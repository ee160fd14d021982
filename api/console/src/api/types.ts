// Answers of the JSON API, as far as the console uses them. 64-bit integers are strings.

export interface Metadata {
  tags: string[];
  source: string;
  sensitive: boolean;
  scope: string;
}

export interface Memory {
  id: string;
  tier: string;
  content: string;
  sizeBytes: string;
  metadata: Metadata;
  autoTags: string[];
  score: number;
  createdAt: string;
  lastSeenAt: string;
  updatedAt: string;
  occurredAt: string;
  archivedAt?: string;
  deleteAfter?: string;
  validFrom?: string;
  validTo?: string;
  etag: string;
  state: string;
  protected: boolean;
  sessionId: string;
  accessCount: string;
  speaker: string;
  namespace: string;
  kind: string;
  detail?: Record<string, unknown>;
  subject: string;
  importance: number;
  confidence?: number;
  sourceType: string;
  verificationCount: string;
  sourceRef: string;
  author: string;
  layer: string;
  name: string;
  // Only in lists, and only if meditations compute it.
  warmth?: Warmth | undefined;
}

export interface Warmth {
  temperature: string;
  reason: string;
  decay: number;
  priority: number;
  connections: string;
  recentConnections: string;
  daysSinceAccess: number;
}

export interface RelatedMemory {
  memory: Memory;
  weight: number;
  entities: string[];
  tags: string[];
  similarity: number;
}

export interface Receipt {
  id: string;
  etag: string;
  state: string;
  deleteAfter?: string;
}

export interface RecallExplanation {
  lexical: number;
  semantic: number;
  memoryScore: number;
  freshnessBoost: number;
  lambda: number;
  foundBy: string[];
  parts: Record<string, number>;
}

export interface Highlight {
  start: number;
  end: number;
}

export interface Found {
  memory: Memory;
  score: number;
  relevance: number;
  explanation?: RecallExplanation;
  highlights: Highlight[];
}

export interface Recall {
  results: Found[];
  corrections: { word: string; replacements: string[] }[];
  nothingRelevant: boolean;
}

export interface ScoreExplanation {
  score: number;
  relevanceToGoals: number;
  emotionalWeight: number;
  predictiveValue: number;
  recencyFreq: number;
  weights: Record<"relevanceToGoals" | "emotionalWeight" | "predictiveValue" | "recencyFreq", number>;
}

export interface Decision {
  memoryId: string;
  action: string;
  reason: string;
  explanation: string;
  tier: string;
  sizeBytes: string;
  score: number;
  meditationId: string;
  position: string;
  decidedAt: string;
}

export interface TierSummary {
  tier: string;
  bytesBefore: string;
  bytesAfter: string;
  quotaBytes: string;
  archived: string;
  deleted: string;
}

export interface Meditation {
  id: string;
  status: string;
  trigger: string;
  processed: string;
  archived: string;
  pruned: string;
  archivedBytes: string;
  prunedBytes: string;
  createdAt: string;
  finishedAt?: string;
  error: string;
  tiers: TierSummary[];
}

export interface Plan {
  meditation: Meditation;
  decisions: Decision[];
  planToken: string;
}

export interface TierUsage {
  tier: string;
  items: string;
  bytes: string;
  quotaBytes: string;
  usage: number;
}

export interface UserMetrics {
  tiers: TierUsage[];
  archive: { items: string; bytes: string; allowanceBytes: string };
  lastMeditation?: string;
  nextMeditation?: string;
  diskBytes: string;
  itemsCreated: string;
  itemsDeleted: string;
  itemsArchived: string;
  embedding: { state: string; reason: string; vectors: string; items: string };
}

export interface Alert {
  name: string;
  raisedAt: string;
  clearedAt?: string;
  count: string;
  text: string;
}

export interface Link {
  fromId: string;
  relation: string;
  toId: string;
  weight: number;
  confidence: number;
  evidence: string;
  createdAt: string;
}

export interface HistoryEvent {
  at: string;
  created?: object;
  updated?: object;
  believed?: { to?: number; confidence?: number; reason?: string };
  linked?: Link;
  ended?: { validTo?: string; reason: string };
  decided?: Decision;
}

export interface Change {
  kind: string;
  memoryId: string;
  changedAt: string;
  memory?: Memory;
}

export interface NamedRecord {
  name: string;
  id: string;
  sensitive: boolean;
  contentBytes: string;
  updatedAt: string;
  etag: string;
}

export interface Version {
  version: string;
  writtenAt: string;
  changedAt: string;
  action: string;
  author: string;
  reason: string;
  redactedAt?: string;
  bytes: string;
}

export interface ContextItem {
  part: string;
  id: string;
  kind: string;
  reason: string;
  relevance: number;
  trust: string;
  startByte: string;
  endByte: string;
  startToken: string;
  endToken: string;
}

export interface Context {
  text: string;
  tokens: string;
  budgetTokens: string;
  items: ContextItem[];
  leftOut: { part: string; items: number }[];
  query: string;
}

export interface Entity {
  id: string;
  name: string;
  type: string;
  aliases: string[];
  salience: number;
  mentions: string;
  memories: string;
  firstAt: string;
  lastAt: string;
}

export interface EntityMention {
  memoryId: string;
  place: string;
  text: string;
  confidence: number;
  at: string;
  stated: boolean;
}

export interface EdgeEvidence {
  memoryId: string;
  startByte: number;
  endByte: number;
  confidence: number;
  at: string;
}

export interface EntityEdge {
  fromId: string;
  fromName: string;
  relation: string;
  toId: string;
  toName: string;
  weight: number;
  confidence: number;
  verifiedAt: string;
  memories: string;
  evidence: EdgeEvidence[];
}

export interface EntityRead {
  entity: Entity;
  mentions: EntityMention[];
  truncated: boolean;
  names: { id: string; text: string; mentions: string }[];
  edges: EntityEdge[];
}
