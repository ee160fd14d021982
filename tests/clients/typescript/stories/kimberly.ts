// Clients of all services over one channel that retries and reads google.rpc details.
import { readFileSync } from "node:fs";
import { createChannel, createClientFactory, type Channel } from "nice-grpc";
import { errorDetailsClientMiddleware } from "nice-grpc-error-details";
import { ConsentServiceDefinition } from "kimberly-client/node/consent_service";
import { CoreMemoryServiceDefinition } from "kimberly-client/node/core_memory_service";
import { DocumentServiceDefinition } from "kimberly-client/node/document_service";
import { EmbeddingServiceDefinition } from "kimberly-client/node/embedding_service";
import { GoalServiceDefinition } from "kimberly-client/node/goal_service";
import { LinkServiceDefinition } from "kimberly-client/node/link_service";
import { MeditationServiceDefinition } from "kimberly-client/node/meditation_service";
import { MemoryServiceDefinition } from "kimberly-client/node/memory_service";
import { MemoryToolServiceDefinition } from "kimberly-client/node/memory_tool_service";
import { MetricsServiceDefinition } from "kimberly-client/node/metrics_service";
import { NamedRecordServiceDefinition } from "kimberly-client/node/named_record_service";
import { RecordServiceDefinition } from "kimberly-client/node/record_service";
import { ServerServiceDefinition } from "kimberly-client/node/server_service";
import { SettingsServiceDefinition } from "kimberly-client/node/settings_service";

// Recommended for clients: calls are retried while the server is unavailable; writes are safe because of `requestId`.
const CONFIG = new URL("../../../../proto/clients/service_config.json", import.meta.url);

export function connect(address: string, options: Record<string, string | number> = {}) {
  const channel: Channel = createChannel(address, undefined, {
    "grpc.service_config": readFileSync(CONFIG, "utf8"),
    ...options,
  });
  const factory = createClientFactory().use(errorDetailsClientMiddleware);
  return {
    memories: factory.create(MemoryServiceDefinition, channel),
    meditations: factory.create(MeditationServiceDefinition, channel),
    consents: factory.create(ConsentServiceDefinition, channel),
    documents: factory.create(DocumentServiceDefinition, channel),
    links: factory.create(LinkServiceDefinition, channel),
    records: factory.create(RecordServiceDefinition, channel),
    named: factory.create(NamedRecordServiceDefinition, channel),
    core: factory.create(CoreMemoryServiceDefinition, channel),
    tool: factory.create(MemoryToolServiceDefinition, channel),
    goals: factory.create(GoalServiceDefinition, channel),
    embeddings: factory.create(EmbeddingServiceDefinition, channel),
    settings: factory.create(SettingsServiceDefinition, channel),
    metrics: factory.create(MetricsServiceDefinition, channel),
    server: factory.create(ServerServiceDefinition, channel),
    close: () => channel.close(),
  };
}

export type Kimberly = ReturnType<typeof connect>;
